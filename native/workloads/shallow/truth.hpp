/// Properties that must hold in every run: identities of the operators, conserved quantities, and distances to known
/// solutions.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/shallow/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace waywiser::shallow {

/// Greatest departures, relative to the magnitudes of what is summed; of random fields.
struct Identities {
    double curl_of_gradient = 0;
    double divergence_of_stream = 0;
    double antisymmetry = 0;  ///< antisymmetry of the weights of tangential fluxes
    double remapping = 0;     ///< the divergence of tangential fluxes on triangles is that of fluxes, remapped by kites
    double areas = 0;         ///< areas of cells and of triangles, relative to the sphere's area
};

inline constexpr double allowed_identity = 1e-14;

/// Sums over one level on all ranks; they do not depend on the number of ranks.
struct Invariants {
    double mass = 0;       ///< [m^3]
    double energy = 0;     ///< [m^5/s^2]
    double enstrophy = 0;  ///< potential [m/s^2]
    double vorticity = 0;  ///< relative to the sum of magnitudes of f
};

/// Relative distances to the start.
struct Errors {
    double l1 = 0, l2 = 0, greatest = 0;  ///< norms of the thickness error
    double velocity = 0;                  ///< l2
};

/// Sums over the mesh.
class Judge {
public:
    Judge(const Domain& domain, const Problem& problem, const Settings& settings, const Ranks& ranks);

    /// Invariants of each level. Collective, like the other members.
    [[nodiscard]] std::vector<Invariants> invariants(const State& state) const;
    /// The relative difference between the sums of areas and the sphere's area.
    [[nodiscard]] double departure_of_areas() const;
    [[nodiscard]] std::vector<Errors> errors(const State& state, const State& start) const;
    /// Digest of each level, the same on any number of ranks: a sum of hashes of each value and its place.
    [[nodiscard]] std::vector<std::uint64_t> digests(const State& state) const;

private:
    const Domain& domain_;
    const Settings& settings_;
    Ranks ranks_;
    double greatest_depth_;
    std::vector<double> cell_areas_, vertex_areas_, edge_areas_;  ///< [m^2]
    std::vector<Number> own_vertices_;  ///< vertices of this rank among those of the whole mesh
    std::vector<VorticityRow> vorticities_;
};

/// Collective.
[[nodiscard]] Identities check_identities(const Domain& domain, const Judge& judge, const Ranks& ranks);

}  // namespace waywiser::shallow
