/// Epochs and locks of windows.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/roles.hpp"

namespace waywiser::mpi {

/// True if `detail` of a lock call requests an exclusive lock.
[[nodiscard]] constexpr bool is_exclusive(std::int64_t detail) { return detail == 1; }

/// Notifications between partners of a window: an exposure epoch has begun, or an access epoch is over. No message of a
/// program has these values as its tag.
enum EpochSignal : std::int32_t { kPosted = -10, kCompleted = -11 };

/// The partners of a rank's epochs on a window, as ranks of the window.
struct EpochPartners {
    std::vector<std::int32_t> targets;  ///< partners of the access epoch
    std::vector<std::int32_t> origins;  ///< partners of the exposure epoch
};

/// Starts and ends the epochs that a call starts and ends.
///
/// \param members  members of the call's window
/// \param rank  executes the call: `notify(member, signal)` and `await(member, signal)`; `end_access()`, which
///     completes the operations of an access epoch; and `lock()`, `flush()` and `unlock()` of the call's target
/// \return false if the call does not affect epochs
template <class Rank>
bool follow_epoch(Epoch epoch, EpochPartners& with, std::vector<std::int32_t> members, Rank rank) {
    switch (epoch) {
        case Epoch::post:
            with.origins = std::move(members);
            for (const std::int32_t origin : with.origins) rank.notify(origin, kPosted);
            return true;
        case Epoch::start:
            with.targets = std::move(members);
            for (const std::int32_t target : with.targets) rank.await(target, kPosted);
            return true;
        case Epoch::complete:
            rank.end_access();
            for (const std::int32_t target : std::exchange(with.targets, {})) rank.notify(target, kCompleted);
            return true;
        case Epoch::wait:
            for (const std::int32_t origin : std::exchange(with.origins, {})) rank.await(origin, kCompleted);
            return true;
        case Epoch::lock: rank.lock(); return true;
        case Epoch::flush: rank.flush(); return true;
        case Epoch::unlock: rank.unlock(); return true;
        default: return false;
    }
}

/// Target -> completion time of the rank's last operation on the window there.
template <class Time>
using PendingOperations = std::map<std::int32_t, Time>;

/// Calls `wait(time)` for the operations on a target, or on all targets (kAny), and removes them.
template <class Time, class Wait>
void flush(PendingOperations<Time>& pending, std::int32_t target, Wait wait) {
    std::erase_if(pending, [&](const auto& operations) {
        if (target >= 0 && operations.first != target) return false;
        wait(operations.second);
        return true;
    });
}

/// The lock of a rank's part of a window, which is granted in the order of requests. Ranks hold a shared lock together,
/// but do not overtake a rank that waits for an exclusive one.
/// \tparam Id  identifies a request
template <class Id>
class WindowLock {
public:
    struct Request {
        std::uint32_t rank;
        bool exclusive;
        Id id;
    };

    void request(const Request& request) { queue_.push_back(request); }

    void release(std::uint32_t rank) { std::erase(holders_, rank); }

    /// Grants the oldest request. \return the granted request; none if the lock cannot be granted now
    [[nodiscard]] std::optional<Request> grant() {
        if (queue_.empty() || (!holders_.empty() && (exclusive_ || queue_.front().exclusive))) return std::nullopt;
        const Request granted = queue_.front();
        queue_.pop_front();
        exclusive_ = granted.exclusive;
        holders_.push_back(granted.rank);
        return granted;
    }

    [[nodiscard]] const std::vector<std::uint32_t>& holders() const { return holders_; }
    /// True if the lock was exclusive when it was last granted.
    [[nodiscard]] bool exclusive() const { return exclusive_; }

private:
    std::vector<std::uint32_t> holders_;
    bool exclusive_ = false;
    std::deque<Request> queue_;
};

}  // namespace waywiser::mpi
