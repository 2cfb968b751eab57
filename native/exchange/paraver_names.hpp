/// Numbers that Extrae gives to MPI calls and to states, which Paraver's configurations and Dimemas expect.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "trace/records/trace.hpp"

namespace waywiser::exchange {

/// Types of events whose values are calls.
inline constexpr std::uint32_t kPointToPoint = 50000001;
inline constexpr std::uint32_t kCollective = 50000002;
inline constexpr std::uint32_t kOther = 50000003;
inline constexpr std::uint32_t kOneSided = 50000004;
inline constexpr std::uint32_t kFiles = 50000005;

[[nodiscard]] std::uint32_t event_type(trace::Action action);

/// \return 0 if Extrae has no number for the call
[[nodiscard]] std::uint32_t event_value(std::string_view function);

/// Names of states, indexed by their number.
[[nodiscard]] std::span<const std::string_view> states();
[[nodiscard]] std::size_t state(const trace::Parameters& parameters, std::string_view function);
inline constexpr std::size_t kRunning = 1;
inline constexpr std::size_t kNotCreated = 2;

}  // namespace waywiser::exchange
