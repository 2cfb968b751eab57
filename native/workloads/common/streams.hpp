/// Sweeps over long arrays by all threads, with plain and with nontemporal stores, to measure memory bandwidth.
///
/// Source: J. D. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", IEEE TCCA
/// Newsletter, December 1995, pp. 19-25.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace waywiser {

enum class StreamKernel { fill, copy, add, multiply, add_update, triad, leapfrog };

enum class Stores { plain, nontemporal };

/// A sweep a_i = f(a_i, b_i, c_i), and its cost per point.
struct Stream {
    StreamKernel kernel;
    std::string_view name;
    std::string_view formula;
    int arrays_read;
    bool in_place;  ///< a is read, so that its lines are in cache when they are written
    int flops;

    /// Bytes per point in the formula, as counted by STREAM.
    [[nodiscard]] constexpr int counted_bytes(int value_bytes) const { return (arrays_read + 1) * value_bytes; }
    /// Bytes per point to and from memory. A plain store first reads the cache line that it writes (write-allocate).
    [[nodiscard]] constexpr int moved_bytes(int value_bytes, Stores stores) const {
        return counted_bytes(value_bytes) + (in_place || stores == Stores::nontemporal ? 0 : value_bytes);
    }
};

/// Streams, indexed by their kernels' numbers.
inline constexpr std::array streams{
    Stream{StreamKernel::fill, "fill", "a = s", 0, false, 0},
    Stream{StreamKernel::copy, "copy", "a = b", 1, false, 0},
    Stream{StreamKernel::add, "add", "a = b + c", 2, false, 1},
    Stream{StreamKernel::multiply, "multiply", "a = b c", 2, false, 1},
    Stream{StreamKernel::add_update, "add-update", "a = a + b", 2, true, 1},
    Stream{StreamKernel::triad, "triad", "a = b + s c", 2, false, 2},
    Stream{StreamKernel::leapfrog, "leapfrog", "a = 2 b - a + c b", 3, true, 4},
};

[[nodiscard]] constexpr const Stream& stream_of(StreamKernel kernel) {
    return streams[static_cast<std::size_t>(kernel)];
}

/// True if the machine has stores that bypass the caches; without them, `Stores::nontemporal` uses plain stores.
#ifdef __SSE2__
inline constexpr bool has_nontemporal_stores = true;
#else
inline constexpr bool has_nontemporal_stores = false;
#endif

template <typename Real>
struct StreamArrays {
    Real* a;  ///< a, b and c are aligned to 64 bytes
    const Real* b;
    const Real* c;
    std::int64_t points;
};

struct Share {
    std::int64_t begin;
    std::int64_t end;
};

/// The share of thread `part` of `parts` in `points` values: whole cache lines, so that no two threads write the same
/// line.
[[nodiscard]] constexpr Share share_of(std::int64_t points, int part, int parts) {
    constexpr std::int64_t line = 64;
    const std::int64_t lines = (points + line - 1) / line;
    const auto cut = [&](std::int64_t at) { return lines * at / parts * line; };
    return {cut(part), part + 1 == parts ? points : cut(part + 1)};
}

/// Runs one sweep by a new team of all threads, each over its share.
void sweep(StreamKernel kernel, Stores stores, const StreamArrays<float>& arrays, float s);
void sweep(StreamKernel kernel, Stores stores, const StreamArrays<double>& arrays, double s);

/// Returns the sum of all values in double, computed by all threads, without any store to memory.
[[nodiscard]] double sum(const float* values, std::int64_t points);
[[nodiscard]] double sum(const double* values, std::int64_t points);

}  // namespace waywiser
