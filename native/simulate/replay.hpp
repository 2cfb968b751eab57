/// Predicts a traced run on another machine.
#pragma once

#include "simulate/prediction.hpp"
#include "simulate/settings.hpp"
#include "trace/reading/call_source.hpp"
#include "trace/reading/trace_reader.hpp"

namespace waywiser::simulate {

/// \throws InvalidInput  if the settings are wrong, or a complete trace comes to a deadlock on that machine
[[nodiscard]] Prediction replay(const trace::TraceFile& trace, const Settings& settings);

/// \param calls  of the job, which keeps the lengths of those that `keeps_length` names
[[nodiscard]] Prediction replay(const trace::TraceJob& job, const trace::CallSource& calls, const Settings& settings);

/// What is not replayed takes as long as recorded, and so do polls that found nothing.
[[nodiscard]] bool keeps_length(const trace::Parameters& call);

}  // namespace waywiser::simulate
