/// The profile of a part of a run, made from its trace.
#pragma once

#include "explain/waits.hpp"
#include "trace/reading/trace_reader.hpp"
#include "trace/records/profile.hpp"

namespace waywiser::explain {

/// Makes a profile of the calls that start in a window: functions, call sites, messages, communicators. Counts and
/// bytes are exact; for a window that covers the whole run, they equal its profile.
///
/// Processor time, switches and counters are not in the trace: they are the whole run's in proportion to the time.
/// Phases, OpenMP, the program's own I/O and bytes that neighbours get in collectives are left out. Memory is bounded
/// by the profile's size.
/// \param whole  profile of the run; the result has its ranks
[[nodiscard]] trace::Profile profile_of(const trace::TraceFile& trace, const TimeWindow& window,
                                        const trace::Profile& whole);

}  // namespace waywiser::explain
