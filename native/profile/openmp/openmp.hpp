/// Parallel regions of OpenMP: what each thread of a team computes, and how long it waits for the
/// others.
///
/// A region that the program's own thread starts is counted; one nested in it counts as its
/// thread's work. Where two threads of the program have regions open at once, the first one's is
/// counted. Regions before the end of MPI_Init and after MPI_Finalize are not.
///
/// Where the runtime has OMPT (OpenMP 5.1, chapter 4), that is the source (ompt.cpp). Otherwise the
/// entry points of libgomp are, which the profiler defines in front of the library (gomp.cpp). Both
/// report what follows.
#pragma once

#include <atomic>
#include <cstdint>

namespace waywiser::profile {

/// OMPT reports: libgomp's entry points do not.
extern std::atomic<bool> ompt_serves;

/// Opens a region, unless another is open.
/// \return the begin [ticks]; 0 if the region is not counted
[[nodiscard]] std::uint64_t open_region();

/// Closes a region that is counted.
/// \param team  number of its threads
void close_region(std::uint64_t begin, unsigned team);

/// The calling thread begins its part of a region that is counted.
void join_region(std::uint64_t region_begin, unsigned thread);

/// The calling thread ends its part.
void leave_region();

/// The calling thread has ended its part, as is told when another region begins: the part ended at the last barrier
/// that the thread came to. Only a team of one comes to none.
void leave_region_late();

/// The calling thread waits for others of its team.
void begin_wait();
void end_wait();

/// The calling thread opens and closes a region that is not counted: within the counted one, that is
/// work.
void open_nested_region();
void close_nested_region();

/// The calling thread makes an explicit task.
void count_task();

/// The child of a fork shares the mapped state; it must not write there.
void stop_openmp();

}  // namespace waywiser::profile
