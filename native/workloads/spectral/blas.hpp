/// dgemm of a BLAS library, the reference for the speed of products. The library is loaded at run time, if a site has
/// any.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <string>

namespace waywiser::spectral {

/// Several threads may multiply at the same time.
class Blas {
public:
    /// \param file  library to load; if empty, the library found at build time or else any that the loader finds
    explicit Blas(const std::string& file);

    [[nodiscard]] bool loaded() const { return dgemm_ != nullptr; }
    /// The library's own description, or its file.
    [[nodiscard]] const std::string& name() const { return name_; }

    /// c = a b, of n rows and columns each.
    void multiply(Index n, const double* a, const double* b, double* c) const;

private:
    // The last two parameters are the lengths of the strings, which Fortran compilers append.
    using Dgemm = void(const char*, const char*, const Index*, const Index*, const Index*, const double*, const double*,
                       const Index*, const double*, const Index*, const double*, double*, const Index*, std::size_t,
                       std::size_t);

    void open(const std::string& file);

    Dgemm* dgemm_ = nullptr;
    std::string name_;
};

/// Error message for a requested file without a usable dgemm.
[[nodiscard]] std::string missing_blas(const std::string& file);

}  // namespace waywiser::spectral
