/// Parallel regions of OpenMP: what each thread of a team computes, and how long it waits for the
/// others.
///
/// A region that the program's own thread starts is counted; one nested in it counts as its
/// thread's work. Where two threads of the program have regions open at once, the first one's is
/// counted. Regions before the end of MPI_Init and after MPI_Finalize are not.
///
/// Two sources serve: OMPT, where the runtime has it (OpenMP 5.1, chapter 4), and otherwise the
/// entry points of libgomp, which the profiler defines in front of the library.
#pragma once

namespace waywiser::profile {

/// The child of a fork shares the mapped state; it must not write there.
void stop_openmp();

}  // namespace waywiser::profile
