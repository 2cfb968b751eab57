/// dgemm of a BLAS library, against which products are held. It is loaded when the program starts, if a site has one.
#pragma once

#include "workloads/common/cartesian.hpp"

#include <string>

namespace waywiser::spectral {

/// Several threads may multiply at the same time.
class Blas {
public:
    /// \param file  empty: the library that was there when the program was built, or one that the loader finds
    explicit Blas(const std::string& file);

    [[nodiscard]] bool loaded() const { return dgemm_ != nullptr; }
    /// The library's description of itself, or its file.
    [[nodiscard]] const std::string& name() const { return name_; }

    /// c = a b, of n rows and columns each.
    void multiply(Index n, const double* a, const double* b, double* c) const;

private:
    // The last two are the lengths of the texts, which compilers of Fortran add.
    using Dgemm = void(const char*, const char*, const Index*, const Index*, const Index*, const double*, const double*,
                       const Index*, const double*, const Index*, const double*, double*, const Index*, std::size_t,
                       std::size_t);

    void open(const std::string& file);

    Dgemm* dgemm_ = nullptr;
    std::string name_;
};

/// The reason for refusing a requested file.
[[nodiscard]] std::string missing_blas(const std::string& file);

}  // namespace waywiser::spectral
