/// Asking the second cache for what a loop over an array will read. A processor looks ahead by itself, but on some
/// machines not as far as memory takes to answer (docs/design/020-kernels.md: reading alone 20 to 33 GB/s).
#pragma once

#include <cstdint>

namespace waywiser {

/// In values. Measured with one array or two.
template <class Value>
inline constexpr std::int64_t values_ahead = std::int64_t{48} * 64 / static_cast<std::int64_t>(sizeof(Value));

/// Nothing happens where there is no such place.
template <class Value>
[[gnu::always_inline]] inline void ask_for(const Value* place) {
    __builtin_prefetch(place, 0, 2);
}

}  // namespace waywiser
