/// The kernel's data on this process: its counters, its memory, its node and its CPUs.
#pragma once

#include <cstddef>

#include "trace/records/state.hpp"

namespace waywiser::profile {

/// Copies text up to the end of its line, cut to fit.
template <std::size_t N>
void copy_line(char (&to)[N], const char* from) {
    std::size_t n = 0;
    while (n < N - 1 && from[n] != '\0' && from[n] != '\n') {
        to[n] = from[n];
        ++n;
    }
    to[n] = '\0';
}

/// Reads what the kernel has counted of the whole process, all threads, since it began.
void sample_metrics(state::Metrics& metrics);

/// Host name and the CPUs that the process may run on.
void describe_process(state::Header& header);

/// The transport of messages, as far as the library shows it: Open MPI's selected pml component, or MPICH's device from
/// its version text.
void describe_transport(state::Header& header, const char* library_version);

/// Removes the profiler from the environment, so that child programs do not load it.
void leave_environment();

}  // namespace waywiser::profile
