/// Predicts a traced run on another machine.
#pragma once

#include "simulate/prediction.hpp"
#include "simulate/settings.hpp"
#include "trace/reading/call_source.hpp"
#include "trace/reading/trace_reader.hpp"

namespace waywiser::simulate {

/// \throws InvalidInput  if the settings are wrong, or a complete trace deadlocks on that machine
[[nodiscard]] Prediction replay(const trace::TraceFile& trace, const Settings& settings);

/// \param calls  calls of the job, which keep the lengths of calls selected by `keeps_length`
[[nodiscard]] Prediction replay(const trace::TraceJob& job, const trace::CallSource& calls, const Settings& settings);

/// True for calls that are not replayed, and for unsuccessful polls: these take their recorded time.
[[nodiscard]] bool keeps_length(const trace::Parameters& call);

}  // namespace waywiser::simulate
