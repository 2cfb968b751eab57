#include "workloads/common/streams.hpp"

#include "workloads/common/ahead.hpp"
#include "workloads/common/clones.hpp"
#include "workloads/common/threads.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

// A loop that copies must remain a loop, because memcpy would choose its own kind of store.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

namespace waywiser {
namespace {

/// Calls `loop` with the kernel as a function of a, b, c and s, each of which is a value or a vector of values.
template <typename Loop>
[[gnu::always_inline]] inline void with_kernel(StreamKernel kernel, const Loop& loop) {
    switch (kernel) {
        case StreamKernel::fill: return loop([](auto, auto, auto, auto s) { return s; });
        case StreamKernel::copy: return loop([](auto, auto b, auto, auto) { return b; });
        case StreamKernel::add: return loop([](auto, auto b, auto c, auto) { return b + c; });
        case StreamKernel::multiply: return loop([](auto, auto b, auto c, auto) { return b * c; });
        case StreamKernel::add_update: return loop([](auto a, auto b, auto, auto) { return a + b; });
        case StreamKernel::triad: return loop([](auto, auto b, auto c, auto s) { return b + s * c; });
        case StreamKernel::leapfrog: return loop([](auto a, auto b, auto c, auto) { return b + b - a + c * b; });
    }
}

template <typename Real>
[[gnu::always_inline]] inline void plain_loop(StreamKernel kernel, const StreamArrays<Real>& x, Share share, Real s) {
    with_kernel(kernel, [&](auto apply) {
        Real* __restrict a = x.a;
        const Real* __restrict b = x.b;
        const Real* __restrict c = x.c;
        for (std::int64_t i = share.begin; i < share.end; ++i) a[i] = apply(a[i], b[i], c[i], s);
    });
}

WAYWISER_CLONES
void plain(StreamKernel kernel, const StreamArrays<float>& x, Share share, float s) { plain_loop(kernel, x, share, s); }
WAYWISER_CLONES
void plain(StreamKernel kernel, const StreamArrays<double>& x, Share share, double s) {
    plain_loop(kernel, x, share, s);
}

#ifdef __SSE2__
__m128 load(const float* from) { return _mm_load_ps(from); }
__m128d load(const double* from) { return _mm_load_pd(from); }
__m128 broadcast(float value) { return _mm_set1_ps(value); }
__m128d broadcast(double value) { return _mm_set1_pd(value); }
void stream(float* to, __m128 value) { _mm_stream_ps(to, value); }
void stream(double* to, __m128d value) { _mm_stream_pd(to, value); }

/// Stores 16 bytes at a time, which every x86-64 processor supports. Four such stores fill a cache line before it is
/// written to memory.
template <typename Real>
void nontemporal(StreamKernel kernel, const StreamArrays<Real>& x, Share share, Real s) {
    constexpr std::int64_t width = 16 / sizeof(Real);
    const std::int64_t whole = share.begin + (share.end - share.begin) / width * width;
    with_kernel(kernel, [&](auto apply) {
        const auto many = broadcast(s);
        for (std::int64_t i = share.begin; i < whole; i += width) {
            stream(x.a + i, apply(load(x.a + i), load(x.b + i), load(x.c + i), many));
        }
    });
    plain(kernel, x, {whole, share.end}, s);
    _mm_sfence();
}
#else
template <typename Real>
void nontemporal(StreamKernel kernel, const StreamArrays<Real>& x, Share share, Real s) {
    plain(kernel, x, share, s);
}
#endif

template <typename Real>
void sweep_by_all(StreamKernel kernel, Stores stores, const StreamArrays<Real>& x, Real s) {
#pragma omp parallel
    {
        const Share share = share_of(x.points, thread_number(), team_size());
        if (stores == Stores::plain) {
            plain(kernel, x, share, s);
        } else {
            nontemporal(kernel, x, share, s);
        }
    }
}

template <typename Real>
[[gnu::always_inline]] inline double sum_loop(const Real* values, Share share) {
    constexpr std::int64_t lanes = 16;  // Two of the widest registers suffice for a loop that is limited by memory.
    double sums[lanes] = {};
    double total = 0;
    std::int64_t i = share.begin;
    for (; i + lanes <= share.end; i += lanes) {
        ask_for(values + i + values_ahead<Real>);
        for (std::int64_t j = 0; j < lanes; ++j) sums[j] += static_cast<double>(values[i + j]);
    }
    for (; i < share.end; ++i) total += static_cast<double>(values[i]);
    for (const double sum : sums) total += sum;
    return total;
}

WAYWISER_CLONES
double sum_of(const float* values, Share share) { return sum_loop(values, share); }
WAYWISER_CLONES
double sum_of(const double* values, Share share) { return sum_loop(values, share); }

template <typename Real>
double sum_by_all(const Real* values, std::int64_t points) {
    double total = 0;
#pragma omp parallel reduction(+ : total)
    total += sum_of(values, share_of(points, thread_number(), team_size()));
    return total;
}

}  // namespace

void sweep(StreamKernel kernel, Stores stores, const StreamArrays<float>& arrays, float s) {
    sweep_by_all(kernel, stores, arrays, s);
}
void sweep(StreamKernel kernel, Stores stores, const StreamArrays<double>& arrays, double s) {
    sweep_by_all(kernel, stores, arrays, s);
}

double sum(const float* values, std::int64_t points) { return sum_by_all(values, points); }
double sum(const double* values, std::int64_t points) { return sum_by_all(values, points); }

}  // namespace waywiser
