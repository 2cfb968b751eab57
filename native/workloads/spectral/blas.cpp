#include "workloads/spectral/blas.hpp"

#include <dlfcn.h>

#include <bit>
#include <cstdlib>

#ifndef WAYWISER_BLAS
#define WAYWISER_BLAS ""
#endif

namespace waywiser::spectral {
namespace {

// Libraries with 32-bit integers read the first half of a 64-bit integer, which must be the low half.
static_assert(std::endian::native == std::endian::little);

/// Prefix and suffixes of symbols, as in scipy_dgemm_64_ and scipy_openblas_get_config64_.
struct Decoration {
    const char* before;
    const char* fortran_end;
    const char* c_end;
};
constexpr Decoration decorations[] = {
    {"", "_", ""}, {"", "_64_", "64_"}, {"scipy_", "_64_", "64_"}, {"scipy_", "_", ""}};

std::string result_of(void* library, const Decoration& style, const std::string& function) {
    auto* const get = reinterpret_cast<char* (*)()>(dlsym(library, (style.before + function + style.c_end).c_str()));
    return get == nullptr ? "" : get();
}

}  // namespace

Blas::Blas(const std::string& file) {
    // The library must not start threads, since each thread of the program calls dgemm.
    for (const char* name : {"OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"}) setenv(name, "1", 1);
    if (!file.empty()) {
        open(file);
        return;
    }
    for (const char* name : {WAYWISER_BLAS, "libopenblas.so.0", "libblas.so.3"}) {
        if (*name != '\0' && !loaded()) open(name);
    }
}

void Blas::open(const std::string& file) {
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    for (const Decoration& style : decorations) {
        const std::string name = std::string(style.before) + "dgemm" + style.fortran_end;
        dgemm_ = reinterpret_cast<Dgemm*>(dlsym(library, name.c_str()));
        if (!loaded()) continue;
        const std::string config = result_of(library, style, "openblas_get_config");
        name_ = config.empty() ? file : config + ", " + result_of(library, style, "openblas_get_corename");
        return;
    }
}

void Blas::multiply(Index n, const double* a, const double* b, double* c) const {
    constexpr double one = 1;
    constexpr double zero = 0;
    dgemm_("N", "N", &n, &n, &n, &one, b, &n, a, &n, &zero, c, &n, 1, 1);
}

std::string missing_blas(const std::string& file) {
    return "--blas " + file + " is not a BLAS library with dgemm that can be loaded; give its file";
}

}  // namespace waywiser::spectral
