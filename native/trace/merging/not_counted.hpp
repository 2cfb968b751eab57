#pragma once

#include <cstdint>
#include <string>

namespace waywiser::trace {

/// The meaning of an error of perf_event_open(2), and the setting that would change it.
/// \param error     errno of the call; 0: the counters work, and the text is empty
/// \param paranoid  kernel.perf_event_paranoid, or state::kNoSetting
[[nodiscard]] std::string why_not_counted(std::int32_t error, std::int32_t paranoid);

}  // namespace waywiser::trace
