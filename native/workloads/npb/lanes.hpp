/// Registers of several doubles, with one lane per point or line, in loops that are compiled for one instruction set
/// each.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

namespace waywiser::npb {

/// Calls `body` with the constants begin ... end - 1, so that arrays that they index stay in registers.
template <int begin, int end, class Body>
[[gnu::always_inline]] inline void unrolled(const Body& body) {
    if constexpr (begin < end) {
        body(std::integral_constant<int, begin>());
        unrolled<begin + 1, end>(body);
    }
}

template <int bytes>
struct Lanes {
    static constexpr int width = bytes / static_cast<int>(sizeof(double));
    typedef double Vector [[gnu::vector_size(bytes)]];
    typedef double InMemory [[gnu::vector_size(bytes), gnu::aligned(alignof(double)), gnu::may_alias]];

    [[gnu::always_inline]] static const InMemory& at(const double* p) { return *reinterpret_cast<const InMemory*>(p); }
    [[gnu::always_inline]] static InMemory& at(double* p) { return *reinterpret_cast<InMemory*>(p); }

    /// Stores the first `count` lanes, at most all of them.
    [[gnu::always_inline]] static void store(double* p, const Vector& v, Index count) {
        if (count >= width) {
            at(p) = v;
        } else {
            double all[width];
            at(all) = v;
            std::copy_n(all, count, p);
        }
    }

    /// Gathers, for each lane, the value at its offset from p.
    [[gnu::always_inline]] static void gather(const double* p, const Index* offsets, Vector& v) {
        gather(p, offsets, v, std::make_integer_sequence<int, width>());
    }

    [[gnu::always_inline]] static void take_root(Vector& v) {
        unrolled<0, width>([&](auto lane) __attribute__((always_inline)) { v[lane()] = std::sqrt(v[lane()]); });
    }

    /// Transposes a square of `width` rows.
    [[gnu::always_inline]] static void transpose(Vector* rows) { exchange<width / 2>(rows); }

private:
    template <int... lane>
    [[gnu::always_inline]] static void gather(const double* p, const Index* offsets, Vector& v,
                                              std::integer_sequence<int, lane...>) {
        v = Vector{p[offsets[lane]]...};
    }

    /// Swaps the off-diagonal quarters of each square of 2 x `apart` rows, and of the smaller squares in it.
    template <int apart>
    [[gnu::always_inline]] static void exchange(Vector* rows) {
        if constexpr (apart > 0) {
            unrolled<0, width>([&](auto row) __attribute__((always_inline)) {
                if constexpr ((row & apart) == 0) {
                    const Vector a = rows[row];
                    const Vector b = rows[row + apart];
                    merge<apart>(a, b, rows[row], rows[row + apart], std::make_integer_sequence<int, width>());
                }
            });
            exchange<apart / 2>(rows);
        }
    }

    template <int apart, int... lane>
    [[gnu::always_inline]] static void merge(const Vector& a, const Vector& b, Vector& low, Vector& high,
                                             std::integer_sequence<int, lane...>) {
        low = __builtin_shufflevector(a, b, ((lane & apart) != 0 ? width + lane - apart : lane)...);
        high = __builtin_shufflevector(a, b, ((lane & apart) != 0 ? width + lane : lane + apart)...);
    }
};

}  // namespace waywiser::npb
