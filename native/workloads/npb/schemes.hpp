/// The implicit parts of the three benchmarks.
#pragma once

#include "workloads/npb/problem.hpp"

#include <memory>

namespace waywiser::npb {

class Scheme {
public:
    virtual ~Scheme() = default;
    /// Collective: turns rhs, which has been multiplied by dt, into the change of u before relaxation.
    virtual void solve() = 0;
};

/// Block-tridiagonal systems along each axis (Beam and Warming). The problem must outlive it; likewise below.
[[nodiscard]] std::unique_ptr<Scheme> make_bt(Problem& problem);

/// Scalar pentadiagonal systems along each axis, in characteristic variables (Pulliam and Chaussee).
[[nodiscard]] std::unique_ptr<Scheme> make_sp(Problem& problem);

/// A sweep forwards and a sweep backwards of symmetric successive over-relaxation; no rank may cut axis 3.
[[nodiscard]] std::unique_ptr<Scheme> make_lu(Problem& problem);

inline constexpr double over_relaxation = 1.2;  ///< omega of LU

}  // namespace waywiser::npb
