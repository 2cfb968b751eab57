#include "workloads/common/fourier.hpp"

#include "base/error.hpp"

#include <dlfcn.h>

#include <string>
#include <vector>

namespace waywiser {
namespace {

// As "FFTW 3.3 manual", sections 4.3 and 4.4, declares what is used of it. fftw_complex is two doubles.
using Transform = void(void* plan, double* in, double* out);
using PlanRows = void*(int rank, const int* n, int howmany, double* in, const int* in_embed, int in_stride, int in_dist,
                       double* out, const int* out_embed, int out_stride, int out_dist, unsigned flags);
using PlanLines = void*(int rank, const int* n, int howmany, double* in, const int* in_embed, int in_stride,
                        int in_dist, double* out, const int* out_embed, int out_stride, int out_dist, int sign,
                        unsigned flags);
constexpr unsigned estimate = 1U << 6U;  // FFTW_ESTIMATE

/// Never closed: plans live as long as the program.
void* library() {
    static void* const opened = dlopen("libfftw3.so.3", RTLD_NOW | RTLD_LOCAL);
    return opened;
}

template <class Function>
Function* function(const char* name) {
    auto* found = reinterpret_cast<Function*>(dlsym(library(), name));
    require(found != nullptr, std::string("the FFTW library lacks ") + name);
    return found;
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

void Plan::run(double* values) const {
    static auto* const forward = function<Transform>("fftw_execute_dft_r2c");
    static auto* const backward = function<Transform>("fftw_execute_dft_c2r");
    static auto* const complex = function<Transform>("fftw_execute_dft");
    auto* transform = kind_ == Kind::real_to_complex ? forward : kind_ == Kind::complex_to_real ? backward : complex;
    transform(plan_.get(), values, values);
}

}  // namespace waywiser
