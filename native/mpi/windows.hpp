/// Epochs of windows, and their locks, wherever time comes from.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/roles.hpp"

namespace waywiser::mpi {

/// Whether a lock of that kind excludes others: calls name it as `detail`.
[[nodiscard]] constexpr bool is_exclusive(std::int64_t detail) { return detail == 1; }

/// What partners of a window tell each other, as tags that no message of a program has: that an exposure epoch has
/// begun, that an access epoch is over.
enum Token : std::int32_t { kPosted = -10, kCompleted = -11 };

/// Whom a rank's epochs of a window are with, by their ranks in it.
struct EpochPartners {
    std::vector<std::int32_t> targets;  ///< of the access epoch
    std::vector<std::int32_t> origins;  ///< of the exposure epoch
};

/// Goes on with epochs as a call says.
///
/// \param members  that the call names
/// \param rank  does it: `tell(member, token)` and `hear(member, token)`; `end_access()` once operations are over; and
///              `lock()`, `flush()` and `unlock()` of the call's target
/// \return false if the call does nothing to epochs
template <class Rank>
bool follow_epoch(Epoch epoch, EpochPartners& with, std::vector<std::int32_t> members, Rank rank) {
    switch (epoch) {
        case Epoch::post:
            with.origins = std::move(members);
            for (const std::int32_t origin : with.origins) rank.tell(origin, kPosted);
            return true;
        case Epoch::start:
            with.targets = std::move(members);
            for (const std::int32_t target : with.targets) rank.hear(target, kPosted);
            return true;
        case Epoch::complete:
            rank.end_access();
            for (const std::int32_t target : std::exchange(with.targets, {})) rank.tell(target, kCompleted);
            return true;
        case Epoch::wait:
            for (const std::int32_t origin : std::exchange(with.origins, {})) rank.hear(origin, kCompleted);
            return true;
        case Epoch::lock: rank.lock(); return true;
        case Epoch::flush: rank.flush(); return true;
        case Epoch::unlock: rank.unlock(); return true;
        default: return false;
    }
}

/// A rank's operations on a window, by target: when the last one is over there.
template <class Time>
using PendingOperations = std::map<std::int32_t, Time>;

/// Calls `wait(time)` for the operations on that target, or on all of them (kAny): they are pending no more.
template <class Time, class Wait>
void flush(PendingOperations<Time>& pending, std::int32_t target, Wait wait) {
    std::erase_if(pending, [&](const auto& operations) {
        if (target >= 0 && operations.first != target) return false;
        wait(operations.second);
        return true;
    });
}

/// The lock of a rank's part of a window, which serves requests in the order in which they come. Ranks that share it
/// have it together, but do not pass a rank that waits for it alone.
template <class Request>
class WindowLock {
public:
    struct Asked {
        std::uint32_t rank;
        bool exclusive;
        Request request;  ///< whatever its owner knows it by
    };

    void ask(const Asked& asked) { line_.push_back(asked); }

    void give_back(std::uint32_t rank) { std::erase(holders_, rank); }

    /// Gives it to who is first in line. \return nothing if nobody can have it now
    [[nodiscard]] std::optional<Asked> give() {
        if (line_.empty() || (!holders_.empty() && (exclusive_ || line_.front().exclusive))) return std::nullopt;
        const Asked given = line_.front();
        line_.pop_front();
        exclusive_ = given.exclusive;
        holders_.push_back(given.rank);
        return given;
    }

    [[nodiscard]] const std::vector<std::uint32_t>& holders() const { return holders_; }
    /// As it was given last.
    [[nodiscard]] bool exclusive() const { return exclusive_; }

private:
    std::vector<std::uint32_t> holders_;
    bool exclusive_ = false;
    std::deque<Asked> line_;
};

}  // namespace waywiser::mpi
