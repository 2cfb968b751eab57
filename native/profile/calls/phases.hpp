/// Stretches of the program that it numbers itself, by MPI_Pcontrol(number).
///
/// A program starts in phase 1, the standard's default level. MPI_Pcontrol(n) begins phase n for the
/// whole process, whichever thread calls it; MPI_Pcontrol(-n) goes back to phase 1. Numbers beyond
/// the first kPhases - 1 that are used share one phase, kOtherPhases.
#pragma once

#include <atomic>
#include <cstdint>

namespace waywiser::profile {

struct ThreadState;

inline constexpr int kPhases = 64;
inline constexpr long kFirstPhase = 1;
inline constexpr long kOtherPhases = -1;

/// Index of the process's present phase.
extern std::atomic<int> present_phase;

/// Makes phase `number` the present one, from `at_ticks` on.
void enter_phase(long number, std::uint64_t at_ticks);

/// Ends the present phase; what follows is in none.
void leave_phases(std::uint64_t at_ticks);

/// Takes the process's present phase over. Stays in the old one without memory for another.
void follow_phase(ThreadState& thread);

/// The number that the program gave to the phase of an index.
[[nodiscard]] long phase_number(int index);

}  // namespace waywiser::profile
