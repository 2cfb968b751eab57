/// Hardware counters of the process, where the kernel permits them (perf_event_open(2)).
#pragma once

#include "trace/records/state.hpp"

namespace waywiser::profile {

/// Starts to count instructions and cycles in user mode for the calling thread and for all threads that it starts from
/// now on. If the kernel refuses, the counters stay zero and the header states the reason.
void open_counters(state::Header& header);

/// Reads the counts since open_counters; they never decrease.
void sample_counters(state::Metrics& metrics);

}  // namespace waywiser::profile
