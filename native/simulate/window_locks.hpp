/// Locks of windows, some of which are exclusive. A rank's part of a window has one lock, which is granted in the order
/// in which requests arrive.
///
/// The request that arrives first is known once no rank can continue. The earliest request in flight then arrives at
/// its lock, since all its consequences are later.
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
#include "simulate/timestamp.hpp"

namespace waywiser::simulate {

/// The lock of a rank's part of a window, whose requests are known by their numbers.
struct WindowLock : mpi::WindowLock<std::uint32_t> {
    Timestamp free;           ///< time of its latest release
    Timestamp free_to_share;  ///< time of its latest release by an exclusive holder
};

struct LockRequest {
    WindowLock* lock = nullptr;
    std::uint32_t rank = 0;
    bool exclusive = false;
    bool granted = false;
    std::uint32_t waiter = kNothing;  ///< actor that is parked until the lock is granted
    double latency_ns = 0;            ///< latency of the grant
    double freed_ns = 0;              ///< time at which the lock was released, if the request had to wait
    Timestamp there;                  ///< time at which the request reaches the target
    Timestamp answer;                 ///< time at which the grant reaches the rank
};

class WindowLocks {
public:
    [[nodiscard]] WindowLock& of(std::uint32_t context, std::uint32_t target) { return locks_[{context, target}]; }
    [[nodiscard]] LockRequest& operator[](std::uint32_t request) { return requests_[request]; }

    /// \return the number of the request, which is in flight now
    [[nodiscard]] std::uint32_t request(const LockRequest& request) {
        const std::uint32_t number = requests_.acquire();
        requests_[number] = request;
        in_flight_.emplace(request.there.ns(), request.rank, number);
        return number;
    }

    /// Time at which the next request arrives at its lock.
    [[nodiscard]] double next_ns() const {
        return in_flight_.empty() ? Deadlines::kNever_ns : std::get<0>(*in_flight_.begin());
    }

    /// Lets the next request arrive at its lock. \return true if there was one
    template <class Granted>
    bool arrive(Granted granted) {
        if (in_flight_.empty()) return false;
        const std::uint32_t number = std::get<2>(in_flight_.extract(in_flight_.begin()).value());
        const LockRequest& request = requests_[number];
        request.lock->request({.rank = request.rank, .exclusive = request.exclusive, .id = number});
        grant(*request.lock, granted);
        return true;
    }

    /// \param free  time since which the lock is free
    template <class Granted>
    void release(WindowLock& lock, std::uint32_t rank, const Timestamp& free, Granted granted) {
        lock.free = later(lock.free, free);
        if (lock.exclusive()) lock.free_to_share = free;
        lock.release(rank);
        grant(lock, granted);
    }

    void forget(std::uint32_t request) { requests_.release(request); }

private:
    /// Grants all requests that can be granted now, and calls `granted(request)` for each of them.
    template <class Granted>
    void grant(WindowLock& lock, Granted granted) {
        while (const auto next = lock.grant()) {
            LockRequest& request = requests_[next->id];
            const Timestamp& free = request.exclusive ? lock.free : lock.free_to_share;
            request.freed_ns = free.ns() > request.there.ns() ? free.ns() : 0;
            request.answer = after_latency(later(request.there, free), request.latency_ns);
            request.granted = true;
            granted(request);
        }
    }

    std::map<std::pair<std::uint32_t, std::uint32_t>, WindowLock> locks_;  ///< indexed by context and target
    Pool<std::deque<LockRequest>> requests_;
    std::set<std::tuple<double, std::uint32_t, std::uint32_t>> in_flight_;  ///< time of arrival, rank, request
};

}  // namespace waywiser::simulate
