/// Parallel regions of OpenMP: what each thread of a team computes, and how long it waits for the others.
///
/// A region that the program's own thread starts is counted; a nested region counts as its thread's work. If two
/// threads of the program have regions open at once, the first thread's is counted. Regions before the end of MPI_Init
/// and after MPI_Finalize are not counted.
///
/// The data come from OMPT if the runtime has it (OpenMP 5.1, chapter 4; ompt.cpp). Otherwise the profiler defines the
/// entry points of libgomp in front of the library (gomp.cpp). Both call the functions below.
#pragma once

#include <atomic>
#include <cstdint>

namespace waywiser::profile {

/// True if OMPT reports regions, so that libgomp's entry points must not.
extern std::atomic<bool> ompt_serves;

/// Opens a region, unless another is open.
/// \return the start [ticks]; 0 if the region is not counted
[[nodiscard]] std::uint64_t open_region();

/// Closes a region that is counted.
/// \param team  number of the region's threads
void close_region(std::uint64_t begin, unsigned team);

/// The calling thread starts its part of a region that is counted.
void join_region(std::uint64_t region_begin, unsigned thread);

/// The calling thread ends its part.
void leave_region();

/// Ends the calling thread's part late, when another region begins: the part ended at the last barrier that the thread
/// reached. Only a team of one thread reaches none.
void leave_region_late();

/// The calling thread waits for others of its team from now on.
void begin_wait();
void end_wait();

/// The calling thread opens and closes a nested region, which counts as work of the outer region.
void open_nested_region();
void close_nested_region();

/// Counts an explicit task of the calling thread.
void count_task();

/// The child of a fork shares the mapped state; it must not write there.
void stop_openmp();

}  // namespace waywiser::profile
