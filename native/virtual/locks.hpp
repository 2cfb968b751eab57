/// Locks of windows: who waited for whom, found once the ranks of the windows meet.
///
/// In which order ranks come to a lock on their virtual clocks is not the order in which they come to it here, and is
/// known once nobody can come earlier: when all have met. Until then a rank's clock goes as if nobody had been in its
/// way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace waywiser::virtual_clocks {

/// What a rank does to the lock of a target's part of a window.
struct LockEvent {
    enum class What : std::int32_t { share, exclude, give_back };

    double there_ns = 0;  ///< when the target hears of it, as if the rank had waited at no lock since ranks met last
    std::int32_t window = 0;  ///< a number that all ranks of a communicator give it
    std::int32_t target = 0;
    What what = What::share;
};

/// A rank's, since it met the others last.
struct LockLog {
    std::vector<LockEvent> events;
    std::uint64_t count = 0;      ///< of events, also those that are too many to be kept
    std::uint64_t exclusive = 0;  ///< of these, that ask for a lock alone
    std::uint64_t stamps = 0;     ///< that the rank had sent before the first

    void add(const LockEvent& event, std::uint64_t stamps_sent);
};

/// How long each rank waited for others at locks, which serve who comes first: those who share a lock have it together,
/// but not past one who waits for it alone (as in the replay, native/simulate/locks.cpp).
///
/// \param of_ranks  the events of each rank, in its order
/// \return [ns] by rank
[[nodiscard]] std::vector<double> waits_ns(const std::vector<std::vector<LockEvent>>& of_ranks);

/// Events of all ranks of a communicator that are put in order; of more, nobody's waiting is known.
inline constexpr std::uint64_t kMostLockEvents = std::uint64_t{1} << 18U;

}  // namespace waywiser::virtual_clocks
