/// Phases of the program, which it numbers itself by MPI_Pcontrol(number).
///
/// A program starts in phase 1, the standard's default level. MPI_Pcontrol(n) begins phase n for the whole process,
/// whichever thread calls it; MPI_Pcontrol(-n) goes back to phase 1. Numbers beyond the first kPhases - 1 that are used
/// share one phase, kOtherPhases.
#pragma once

#include <atomic>
#include <cstdint>

namespace waywiser::profile {

struct ThreadState;

inline constexpr int kPhases = 64;
inline constexpr long kFirstPhase = 1;
inline constexpr long kOtherPhases = -1;

/// Index of the process's current phase.
extern std::atomic<int> present_phase;

/// Makes phase `number` current from `at_ticks` on.
void enter_phase(long number, std::uint64_t at_ticks);

/// Ends the current phase; the time after it belongs to no phase.
void leave_phases(std::uint64_t at_ticks);

/// Switches the thread to the process's current phase. If memory is exhausted, the thread stays in the old phase.
void follow_phase(ThreadState& thread);

/// The program's number for the phase at an index.
[[nodiscard]] long phase_number(int index);

}  // namespace waywiser::profile
