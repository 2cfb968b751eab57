/// The profile of a part of a run, made from its trace.
#pragma once

#include "explain/waits.hpp"
#include "trace/reading/trace_reader.hpp"
#include "trace/records/profile.hpp"

namespace waywiser::explain {

/// What a profile would say of the calls that begin in that time: functions, call sites, messages, communicators.
/// Counts and bytes are exact; of a window with the whole run they are those of its profile.
///
/// Of processor time, switches and counters the trace knows nothing: they are the whole run's in proportion to the
/// time. Phases, OpenMP, the program's own I/O and what neighbours get in collectives are left out. Memory is bounded
/// by the profile's size.
/// \param whole  of the run; its ranks are those of the result
[[nodiscard]] trace::Profile profile_of(const trace::TraceFile& trace, const TimeWindow& window,
                                        const trace::Profile& whole);

}  // namespace waywiser::explain
