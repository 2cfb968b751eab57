#include "workloads/common/fourier.hpp"

#include "base/error.hpp"

#include <dlfcn.h>

#include <array>
#include <string>
#include <vector>

namespace waywiser {
namespace {

// FFTW's functions as declared in the "FFTW 3.3 manual", sections 4.3 and 4.4; fftw_complex is two doubles.
using Transform = void(void* plan, double* in, double* out);
using PlanRows = void*(int rank, const int* n, int howmany, double* in, const int* in_embed, int in_stride, int in_dist,
                       double* out, const int* out_embed, int out_stride, int out_dist, unsigned flags);
using PlanLines = void*(int rank, const int* n, int howmany, double* in, const int* in_embed, int in_stride,
                        int in_dist, double* out, const int* out_embed, int out_stride, int out_dist, int sign,
                        unsigned flags);
using PlanReal = void*(int rank, const int* n, int howmany, double* in, const int* in_embed, int in_stride, int in_dist,
                       double* out, const int* out_embed, int out_stride, int out_dist, const int* kind,
                       unsigned flags);
constexpr unsigned estimate = 1U << 6U;   // FFTW_ESTIMATE
constexpr unsigned unaligned = 1U << 1U;  // FFTW_UNALIGNED

/// Kinds of transforms from real values to real values, numbered as fftw_r2r_kind.
enum class FftwKind { r2hc = 0, hc2r = 1, redft01 = 4, redft10 = 5 };

/// The library is never closed, because plans live as long as the program.
void* library() {
    static void* const opened = dlopen("libfftw3.so.3", RTLD_NOW | RTLD_LOCAL);
    return opened;
}

template <class Function>
Function* function(const char* name) {
    auto* symbol = reinterpret_cast<Function*>(dlsym(library(), name));
    require(symbol != nullptr, std::string("the FFTW library lacks ") + name);
    return symbol;
}

/// Plans `count` in-place transforms of real values, whose starts are `apart` values apart.
void* real_plan(Index points, Index count, Index stride, Index apart, FftwKind kind) {
    const int n = static_cast<int>(points);
    const int code = static_cast<int>(kind);
    const int step = static_cast<int>(stride);
    const int dist = static_cast<int>(apart);
    std::vector<double> unread(static_cast<std::size_t>((points - 1) * stride + (count - 1) * apart + 1));
    double* at = unread.data();
    return function<PlanReal>("fftw_plan_many_r2r")(1, &n, static_cast<int>(count), at, nullptr, step, dist, at,
                                                    nullptr, step, dist, &code, estimate | unaligned);
}

}  // namespace

bool has_fftw() { return library() != nullptr; }

Plan::Plan(void* plan, Kind kind) : plan_(plan, function<void(void*)>("fftw_destroy_plan")), kind_(kind) {
    require(plan != nullptr, "the FFTW library has no plan for these sizes");
}

Plan Plan::real_rows(Index points, Index rows, bool forward) {
    const int n = static_cast<int>(points);
    const int spectrum = n / 2 + 1;
    const Index values = 2 * (points / 2 + 1) * rows;
    std::vector<double> unread(static_cast<std::size_t>(values));
    double* at = unread.data();
    auto* make = function<PlanRows>(forward ? "fftw_plan_many_dft_r2c" : "fftw_plan_many_dft_c2r");
    const int real_place = 2 * spectrum;
    return {make(1, &n, static_cast<int>(rows), at, nullptr, 1, forward ? real_place : spectrum, at, nullptr, 1,
                 forward ? spectrum : real_place, estimate),
            forward ? Kind::real_to_complex : Kind::complex_to_real};
}

Plan Plan::complex_lines(Index points, Index stride, Index width, bool forward) {
    const int n = static_cast<int>(points);
    const int step = static_cast<int>(stride);
    std::vector<double> unread(static_cast<std::size_t>(2 * (points - 1) * stride + 2 * width));
    double* at = unread.data();
    auto* make = function<PlanLines>("fftw_plan_many_dft");
    return {
        make(1, &n, static_cast<int>(width), at, nullptr, step, 1, at, nullptr, step, 1, forward ? -1 : 1, estimate),
        Kind::complex_to_complex};
}

Plan Plan::cosine_rows(Index points, Index rows, bool forward) {
    return {real_plan(points, rows, 1, points, forward ? FftwKind::redft10 : FftwKind::redft01), Kind::real_to_real};
}

Plan Plan::real_lines(Index points, Index stride, Index width, bool forward) {
    return {real_plan(points, width, stride, 1, forward ? FftwKind::r2hc : FftwKind::hc2r), Kind::real_to_real};
}

void Plan::run(double* values) const {
    static auto* const forward = function<Transform>("fftw_execute_dft_r2c");
    static auto* const backward = function<Transform>("fftw_execute_dft_c2r");
    static auto* const complex = function<Transform>("fftw_execute_dft");
    static auto* const real = function<Transform>("fftw_execute_r2r");
    const std::array<Transform*, 4> by_kind{forward, backward, complex, real};
    by_kind[static_cast<std::size_t>(kind_)](plan_.get(), values, values);
}

}  // namespace waywiser
