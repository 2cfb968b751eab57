/// Prefetches into the L2 cache the values that a loop over an array will read. Hardware prefetchers of some machines
/// do not look far enough ahead for the latency of memory (docs/design/020-kernels.md: reading alone 20 to 33 GB/s).
#pragma once

#include <cstdint>

namespace waywiser {

/// Distance of prefetching, in values, as measured with one array or two.
template <class Value>
inline constexpr std::int64_t values_ahead = std::int64_t{48} * 64 / static_cast<std::int64_t>(sizeof(Value));

/// Distance of prefetching to a later row, for rows `stride` apart: values between rows are skipped, and no cache line
/// is omitted.
template <class Value>
[[nodiscard]] constexpr std::int64_t rows_ahead(std::int64_t stride) {
    return (values_ahead<Value> / stride + 1) * stride;
}

/// Prefetches an address, which need not be valid.
template <class Value>
[[gnu::always_inline]] inline void ask_for(const Value* place) {
    __builtin_prefetch(place, 0, 2);
}

}  // namespace waywiser
