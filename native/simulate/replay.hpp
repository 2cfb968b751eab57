/// Predicts a traced run on another machine.
#pragma once

#include "simulate/prediction.hpp"
#include "simulate/settings.hpp"
#include "trace/trace_reader.hpp"

namespace waywiser::simulate {

/// \throws InvalidInput  if the settings are wrong, or a complete trace comes to a deadlock on that machine
[[nodiscard]] Prediction replay(const trace::TraceFile& trace, const Settings& settings);

}  // namespace waywiser::simulate
