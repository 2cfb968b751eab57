/// Prefetches into the second cache the values that a loop over an array will read. Processors prefetch by themselves,
/// but on some machines not far enough for the latency of memory (docs/design/020-kernels.md: reading alone 20 to 33
/// GB/s).
#pragma once

#include <cstdint>

namespace waywiser {

/// Distance of prefetching, in values; measured with one array or two.
template <class Value>
inline constexpr std::int64_t values_ahead = std::int64_t{48} * 64 / static_cast<std::int64_t>(sizeof(Value));

/// Distance of prefetching on rows `stride` apart, to a later row: values between rows are skipped, and no line is left
/// out.
template <class Value>
[[nodiscard]] constexpr std::int64_t rows_ahead(std::int64_t stride) {
    return (values_ahead<Value> / stride + 1) * stride;
}

/// Prefetches a place, which need not exist.
template <class Value>
[[gnu::always_inline]] inline void ask_for(const Value* place) {
    __builtin_prefetch(place, 0, 2);
}

}  // namespace waywiser
