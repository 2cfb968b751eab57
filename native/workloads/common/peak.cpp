#include "workloads/common/peak.hpp"

#include <cstdint>

namespace waywiser {
namespace {

#ifdef __aarch64__
/// This number of chains keeps two units with a latency of 9 cycles (A64FX), or four with 4 cycles (Neoverse V2), busy,
/// and 32 registers suffice.
constexpr int chains = 24;
#else
/// Twelve chains keep two units with a latency of 4 to 6 cycles busy, and 16 registers suffice.
constexpr int chains = 12;
#endif
constexpr std::int64_t steps = 1'000'000;

template <typename Real, int bytes>
[[gnu::always_inline]] inline double chained() {
    constexpr int lanes = bytes / static_cast<int>(sizeof(Real));
    typedef Real Pack [[gnu::vector_size(bytes)]];
    // The value is opaque to the compiler, which would otherwise merge the equal chains. Chains stay between 0 and 1.
    volatile Real start = 0;
    volatile Real factor = static_cast<Real>(0.5);
    const Pack m = Pack{} + factor;
    Pack x[chains];
    for (int k = 0; k < chains; ++k) x[k] = Pack{} + start;
    for (std::int64_t step = 0; step < steps; ++step) {
        for (int k = 0; k < chains; ++k) x[k] = x[k] * m + m;
    }
    Pack all = x[0];
    for (int k = 1; k < chains; ++k) all += x[k];
    volatile Real used = all[0];
    const bool sound = used > 0;
    return sound ? 2.0 * chains * steps * lanes : 0;
}

enum class Width { baseline, avx2, avx512 };

#if defined(__x86_64__) && defined(__GNUC__)
template <typename Real>
[[gnu::target("avx512f,fma")]] double in_avx512() {
    return chained<Real, 64>();
}
template <typename Real>
[[gnu::target("avx2,fma")]] double in_avx2() {
    return chained<Real, 32>();
}

Width widest() {
    if (__builtin_cpu_supports("avx512f")) return Width::avx512;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Width::avx2 : Width::baseline;
}
#else
template <typename Real>
double in_avx512() {
    return 0;
}
template <typename Real>
double in_avx2() {
    return 0;
}
Width widest() { return Width::baseline; }
#endif

}  // namespace

template <typename Real>
double multiply_add_flops() {
    const Width width = widest();
    double flops = 0;
#pragma omp parallel reduction(+ : flops)
    flops += width == Width::avx512 ? in_avx512<Real>() : width == Width::avx2 ? in_avx2<Real>() : chained<Real, 16>();
    return flops;
}

template double multiply_add_flops<float>();
template double multiply_add_flops<double>();

std::string multiply_add_instructions() {
    switch (widest()) {
        case Width::avx512: return "AVX-512";
        case Width::avx2: return "AVX2";
        case Width::baseline: break;
    }
    return "baseline";
}

}  // namespace waywiser
