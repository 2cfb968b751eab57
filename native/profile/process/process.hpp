/// The kernel's data on this process: its counters, its memory, its node and its CPUs.
#pragma once

#include <cstddef>

#include "trace/records/state.hpp"

namespace waywiser::profile {

/// Copies text up to the end of its line, truncated to fit.
template <std::size_t N>
void copy_line(char (&to)[N], const char* from) {
    std::size_t n = 0;
    while (n < N - 1 && from[n] != '\0' && from[n] != '\n') {
        to[n] = from[n];
        ++n;
    }
    to[n] = '\0';
}

/// Reads the kernel's counters of the whole process, all threads, since its start.
void sample_metrics(state::Metrics& metrics);

/// Records the host name and the CPUs on which the process may run.
void describe_process(state::Header& header);

/// Records the transport of messages as far as the library reveals it: Open MPI's selected pml component, or MPICH's
/// device from its version text.
void describe_transport(state::Header& header, const char* library_version);

/// Removes the profiler from the environment, so that child programs do not load it.
void leave_environment();

}  // namespace waywiser::profile
