/// The requests of a rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/calls.hpp"

namespace waywiser::mpi {

/// Upper bound of request numbers: only damaged traces exceed it.
inline constexpr std::int32_t kMostRequests = 1 << 24;

/// Requests by number. A trace gives a request the smallest free number.
template <class Request>
class RequestTable {
public:
    /// The request with a number; null if there is none.
    [[nodiscard]] Request* find(std::int32_t number) { return numbered(requests_, number); }

    /// The request with a new number, or with a reused number and its former content; null if the number exceeds the
    /// bound.
    [[nodiscard]] Request* make(std::int32_t number) {
        Request* known = find(number);
        return known != nullptr || number < 0 ? known : add(number);
    }

    /// Reserves memory for this number of requests.
    void expect(std::size_t requests) {
        if (requests > requests_.size()) requests_.resize(requests);
    }

    /// The request with a number that is known to exist.
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
