/// What writer and reader of a trace file agree on.
#pragma once

#include <cstdint>
#include <string_view>

namespace waywiser::trace {

inline constexpr std::string_view kTraceMagic = "WWTRAC00";

/// Kinds of blocks.
inline constexpr std::uint32_t kTraceJob = 1;
inline constexpr std::uint32_t kTraceSignatures = 2;
inline constexpr std::uint32_t kTraceCalls = 3;
inline constexpr std::uint32_t kTraceEnd = 4;

}  // namespace waywiser::trace
