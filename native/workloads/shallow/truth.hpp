/// Properties that must hold in every run: identities of the operators, conserved quantities, and distances to known
/// solutions.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/shallow/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace waywiser::shallow {

/// Greatest deviations from identities on random fields, relative to the magnitudes of the summed terms.
struct Identities {
    double curl_of_gradient = 0;
    double divergence_of_stream = 0;
    double antisymmetry = 0;  ///< antisymmetry of the weights of tangential fluxes
    double remapping = 0;  ///< divergence of tangential fluxes on triangles, against that of fluxes remapped by kites
    double areas = 0;      ///< sums of areas of cells and of triangles, against the sphere's area
};

inline constexpr double allowed_identity = 1e-14;

/// Sums over one level on all ranks, which do not depend on the number of ranks.
struct Invariants {
    double mass = 0;       ///< [m^3]
    double energy = 0;     ///< [m^5/s^2]
    double enstrophy = 0;  ///< potential enstrophy [m/s^2]
    double vorticity = 0;  ///< absolute vorticity, relative to the integral of |f|
};

/// Relative differences from the initial state.
struct Errors {
    double l1 = 0, l2 = 0, greatest = 0;  ///< norms of the thickness error
    double velocity = 0;                  ///< l2 norm of the velocity error
};

/// Computes invariants, errors and digests of a state.
class Judge {
public:
    Judge(const Domain& domain, const Problem& problem, const Settings& settings, const Ranks& ranks);

    /// Invariants of each level. Collective, like the other members.
    [[nodiscard]] std::vector<Invariants> invariants(const State& state) const;
    /// The greatest relative difference between a sum of areas and the sphere's area.
    [[nodiscard]] double departure_of_areas() const;
    [[nodiscard]] std::vector<Errors> errors(const State& state, const State& start) const;
    /// Digest of each level: the sum of hashes of each value and its position, which does not depend on the number of
    /// ranks.
    [[nodiscard]] std::vector<std::uint64_t> digests(const State& state) const;

private:
    const Domain& domain_;
    const Settings& settings_;
    Ranks ranks_;
    double greatest_depth_;
    std::vector<double> cell_areas_, vertex_areas_, edge_areas_;  ///< [m^2]
    std::vector<Number> own_vertices_;                            ///< global numbers of this rank's vertices
    std::vector<VorticityRow> vorticities_;
};

/// Collective.
[[nodiscard]] Identities check_identities(const Domain& domain, const Judge& judge, const Ranks& ranks);

}  // namespace waywiser::shallow
