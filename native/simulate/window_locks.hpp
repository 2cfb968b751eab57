/// Locks of windows, where some are exclusive. A rank's part of a window has one lock, which serves requests in the
/// order in which they come.
///
/// Which request comes first is known once no rank can go on. Of the requests that are on their way, the earliest then
/// comes to its lock, since nothing that follows from it is earlier.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/pool.hpp"
#include "mpi/windows.hpp"
#include "simulate/channels.hpp"
#include "simulate/deadlines.hpp"
#include "simulate/moment.hpp"

namespace waywiser::simulate {

/// The lock of a rank's part of a window, whose requests are known by their numbers.
struct WindowLock : mpi::WindowLock<std::uint32_t> {
    Moment free;           ///< of all who have given it back
    Moment free_to_share;  ///< of all who had it alone and have given it back
};

struct LockRequest {
    WindowLock* lock = nullptr;
    std::uint32_t rank = 0;
    bool exclusive = false;
    bool given = false;
    std::uint32_t waiter = kNothing;  ///< actor that is parked until it is given
    double latency_ns = 0;            ///< of the answer
    double freed_ns = 0;              ///< if it had to wait: when the lock was given back
    Moment there;                     ///< is with the target
    Moment answer;                    ///< is with the rank
};

class WindowLocks {
public:
    [[nodiscard]] WindowLock& of(std::uint32_t context, std::uint32_t target) { return locks_[{context, target}]; }
    [[nodiscard]] LockRequest& operator[](std::uint32_t request) { return requests_[request]; }

    /// \return the number of the request, which is on its way
    [[nodiscard]] std::uint32_t ask(const LockRequest& request) {
        const std::uint32_t number = requests_.take();
        requests_[number] = request;
        asked_.emplace(request.there.ns(), request.rank, number);
        return number;
    }

    /// When the next request comes to its lock.
    [[nodiscard]] double next_ns() const {
        return asked_.empty() ? Deadlines::kNever_ns : std::get<0>(*asked_.begin());
    }

    /// The next request comes to its lock. \return whether there was one
    template <class Given>
    bool next(Given given) {
        if (asked_.empty()) return false;
        const std::uint32_t number = std::get<2>(asked_.extract(asked_.begin()).value());
        const LockRequest& request = requests_[number];
        request.lock->ask({.rank = request.rank, .exclusive = request.exclusive, .request = number});
        give(*request.lock, given);
        return true;
    }

    /// \param free  when the lock is
    template <class Given>
    void give_back(WindowLock& lock, std::uint32_t rank, const Moment& free, Given given) {
        lock.free = later(lock.free, free);
        if (lock.exclusive()) lock.free_to_share = free;
        lock.give_back(rank);
        give(lock, given);
    }

    void forget(std::uint32_t request) { requests_.give_back(request); }

private:
    /// Calls `given(request)` for the first in line, and for those behind it that share the lock with it.
    template <class Given>
    void give(WindowLock& lock, Given given) {
        while (const auto next = lock.give()) {
            LockRequest& request = requests_[next->request];
            const Moment& free = request.exclusive ? lock.free : lock.free_to_share;
            request.freed_ns = free.ns() > request.there.ns() ? free.ns() : 0;
            request.answer = after_latency(later(request.there, free), request.latency_ns);
            request.given = true;
            given(request);
        }
    }

    std::map<std::pair<std::uint32_t, std::uint32_t>, WindowLock> locks_;  ///< by context and target
    Pool<std::deque<LockRequest>> requests_;
    std::set<std::tuple<double, std::uint32_t, std::uint32_t>> asked_;  ///< on their way: time, rank, request
};

}  // namespace waywiser::simulate
