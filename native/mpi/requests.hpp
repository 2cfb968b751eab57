/// The requests of a rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/calls.hpp"

namespace waywiser::mpi {

/// A request number that a damaged trace may have, and no program.
inline constexpr std::int32_t kMostRequests = 1 << 24;

/// By their numbers: a call makes the smallest one that is free.
template <class Request>
class RequestTable {
public:
    /// Null if there is none.
    [[nodiscard]] Request* find(std::int32_t number) { return numbered(requests_, number); }

    /// Whatever the request of that number was before; null if there can be none.
    [[nodiscard]] Request* make(std::int32_t number) {
        Request* known = find(number);
        return known != nullptr || number < 0 ? known : add(number);
    }

    /// Makes room for so many.
    void expect(std::size_t requests) {
        if (requests > requests_.size()) requests_.resize(requests);
    }

    /// One that there is.
    [[nodiscard]] Request& operator[](std::int32_t number) { return requests_[static_cast<std::size_t>(number)]; }

    [[nodiscard]] const Request* data() const { return requests_.data(); }

    /// Calls `visit(request, completion)` for each request that the call has completed.
    template <class Visit>
    void each_completed(const trace::Parameters& call, Visit visit) {
        mpi::each_completed(call.requests, call.completed, [&](std::int32_t number, const trace::Completion& done) {
            if (Request* request = find(number)) visit(*request, done);
        });
    }

private:
    [[nodiscard, gnu::noinline]] Request* add(std::int32_t number) {
        if (number >= kMostRequests) return nullptr;
        expect(static_cast<std::size_t>(number) + 1);
        return &requests_.back();
    }

    std::vector<Request> requests_;
};

}  // namespace waywiser::mpi
