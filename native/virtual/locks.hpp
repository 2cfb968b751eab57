/// Locks of windows: the waits of ranks, determined once the ranks of the windows meet.
///
/// Ranks may reach a lock in a different order on their virtual clocks than in real time. The virtual order is known
/// once no rank can arrive earlier, that is, when all ranks have met. Until then, a rank's clock advances as if the
/// lock were free. A late rank delays the receivers of its messages by the same time, unless they would have waited
/// anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace waywiser::virtual_clocks {

/// A rank's operation on the lock of a target's part of a window, or a message that it receives. Times assume that no
/// rank has waited at a lock since the ranks last met.
struct LockEvent {
    enum class Kind : std::int32_t { lock_shared, lock_exclusive, unlock, receive };

    /// time at which the target receives the request; for a message, time at which the rank would continue without it
    double there_ns = 0;
    double came_ns = 0;  ///< time at which the rank can continue with the message
    /// number of the window, equal on all ranks of a communicator; for a message, number of the sender's earlier events
    std::int32_t number = 0;
    std::int32_t peer = 0;  ///< target or sender
    Kind kind = Kind::lock_shared;
};

/// A rank's events since it last met the others.
struct LockLog {
    std::uint32_t meeting = 0;  ///< number of meetings so far
    std::vector<LockEvent> events;
    std::uint64_t count = 0;      ///< number of events, including those that exceed the limit and are dropped
    std::uint64_t exclusive = 0;  ///< number of requests for exclusive locks among them
    std::uint64_t stamps = 0;     ///< stamps that the rank had sent before the first event
    std::uint64_t messages = 0;   ///< stamps that the rank has sent over the communicator since

    void add(const LockEvent& event, std::uint64_t stamps_sent);
};

/// The delay of each rank by locks. Locks serve requests in the order of arrival. Ranks that share a lock hold it
/// together, but do not overtake a rank that waits for exclusive access (as in the replay,
/// native/simulate/window_locks.hpp).
///
/// \param of_ranks  the events of each rank, in its order
/// \return delays by rank [ns]
[[nodiscard]] std::vector<double> delays_ns(const std::vector<std::vector<LockEvent>>& of_ranks);

/// Largest number of events of all ranks of a communicator that are ordered; beyond this number, waiting is unknown.
inline constexpr std::uint64_t kMostLockEvents = std::uint64_t{1} << 18U;

}  // namespace waywiser::virtual_clocks
