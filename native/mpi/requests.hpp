/// The requests of a rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/calls.hpp"

namespace waywiser::mpi {

/// Bound of request numbers: only damaged traces have this number or above.
inline constexpr std::int32_t kMostRequests = 1 << 24;

/// Requests by number. A trace gives a request the smallest number that is free.
template <class Request>
class RequestTable {
public:
    /// Null if there is none.
    [[nodiscard]] Request* find(std::int32_t number) { return numbered(requests_, number); }

    /// The request of a new number, or of one that is used again, as it was left; null if no program has such a number.
    [[nodiscard]] Request* make(std::int32_t number) {
        Request* known = find(number);
        return known != nullptr || number < 0 ? known : add(number);
    }

    /// Makes room for so many requests.
    void expect(std::size_t requests) {
        if (requests > requests_.size()) requests_.resize(requests);
    }

    /// The request of a number that is known to exist.
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
