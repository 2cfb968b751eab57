/// The Wilson operator D = 1 - kappa H, where H hops from each parity to the other, and its Schur complement on even
/// sites: M = 1 - kappa^2 H H.
#pragma once

#include "workloads/common/sections.hpp"
#include "workloads/common/stopwatch.hpp"
#include "workloads/lattice/halo.hpp"
#include "workloads/lattice/kernels.hpp"

namespace waywiser::lattice {

inline constexpr int even = 0;
inline constexpr int odd = 1;

/// Times of this rank [s].
struct Sections {
    double hops = 0;
    double packing = 0;
    double waiting = 0;
    double fields = 0;
    double sums = 0;
};

inline constexpr Section<Sections> section_table[] = {{"hops", "hops", &Sections::hops},
                                                      {"packing", "packing", &Sections::packing},
                                                      {"waiting", "waiting", &Sections::waiting},
                                                      {"fields", "fields", &Sections::fields},
                                                      {"sums", "sums over ranks", &Sections::sums}};

class Dirac {
public:
    Dirac(const Sites& sites, const Links& links, Halo& halo, const HopKernels& kernels, double kappa);

    /// Computes out = add + factor H in on sites of a parity; without `add`, out = factor H in.
    void hop(int parity, bool dagger, const Half& in, double factor, const Half* add, Half& out);
    /// Computes out = D in, or out = D^+ in with `dagger`.
    void apply(bool dagger, const Full& in, Full& out);
    /// Computes out = M in on even sites, or out = M^+ in with `dagger`.
    void apply_even(bool dagger, const Half& in, Half& out);

    [[nodiscard]] double kappa() const { return kappa_; }
    [[nodiscard]] Sections& sections() { return sections_; }

private:
    void run(HopWork work, const std::vector<std::int32_t>& blocks);

    const Sites& sites_;
    const Links& links_;
    Halo& halo_;
    HopKernels kernels_;
    double kappa_;
    Half between_;
    Stopwatch watch_;
    Sections sections_;
};

}  // namespace waywiser::lattice
