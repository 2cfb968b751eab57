/// The implicit parts of the three benchmarks.
#pragma once

#include "workloads/npb/problem.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace waywiser::npb {

class Scheme {
public:
    virtual ~Scheme() = default;
    /// Collective: replaces rhs, which holds dt times the right-hand side, by the change of u before relaxation.
    virtual void solve() = 0;
};

/// The problem must outlive the scheme.
using MakeScheme = std::unique_ptr<Scheme>(Problem& problem);

/// Block-tridiagonal systems along each axis (Beam and Warming).
MakeScheme make_bt, make_bt_by_registers;

/// Scalar pentadiagonal systems along each axis, in characteristic variables (Pulliam and Chaussee).
MakeScheme make_sp, make_sp_by_registers;

/// A sweep forwards and a sweep backwards of symmetric successive over-relaxation; no rank may cut axis 3.
MakeScheme make_lu, make_lu_by_registers;

/// An implementation of the schemes.
struct Variant {
    std::string_view name;
    Evaluate* evaluate;
    MakeScheme* bt;
    MakeScheme* sp;
    MakeScheme* lu;
};

/// All variants. The first is the reference, with which the others must agree.
[[nodiscard]] std::span<const Variant> variants();

}  // namespace waywiser::npb
