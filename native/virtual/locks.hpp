/// Locks of windows: who waited for whom, found once the ranks of the windows meet.
///
/// Ranks come to a lock in another order on their virtual clocks than in real time. The virtual order is known once
/// nobody can come earlier, which is when all ranks have met. Until then, a rank's clock goes as if nobody had been in
/// its way. A rank that was late makes the receivers of its messages late by as much, as far as they would not have
/// waited anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace waywiser::virtual_clocks {

/// What a rank does to the lock of a target's part of a window, or a message that it gets. Times are as if nobody had
/// waited at a lock since ranks met last.
struct LockEvent {
    enum class What : std::int32_t { lock_shared, lock_exclusive, unlock, receive };

    double there_ns = 0;      ///< when the target hears of it; when the rank would go on without the message
    double came_ns = 0;       ///< when the rank could go on with the message
    std::int32_t number = 0;  ///< of the window, that all ranks of a communicator give it; events of the sender before
    std::int32_t peer = 0;    ///< target, or sender
    What what = What::lock_shared;
};

/// A rank's, since it met the others last.
struct LockLog {
    std::uint32_t meeting = 0;  ///< how often it had
    std::vector<LockEvent> events;
    std::uint64_t count = 0;      ///< of events, also those that are too many to be kept
    std::uint64_t exclusive = 0;  ///< of these, that ask for a lock alone
    std::uint64_t stamps = 0;     ///< that the rank had sent before the first
    std::uint64_t messages = 0;   ///< that it has sent over the communicator since

    void add(const LockEvent& event, std::uint64_t stamps_sent);
};

/// How late each rank is because of locks, which serve requests in the order in which they come. Ranks that share a
/// lock have it together, but do not pass a rank that waits for it alone (as in the replay,
/// native/simulate/window_locks.hpp).
///
/// \param of_ranks  the events of each rank, in its order
/// \return [ns] by rank
[[nodiscard]] std::vector<double> delays_ns(const std::vector<std::vector<LockEvent>>& of_ranks);

/// Events of all ranks of a communicator that are put in order; of more, nobody's waiting is known.
inline constexpr std::uint64_t kMostLockEvents = std::uint64_t{1} << 18U;

}  // namespace waywiser::virtual_clocks
