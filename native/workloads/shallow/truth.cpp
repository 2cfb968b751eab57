#include "workloads/shallow/truth.hpp"

#include "base/hash.hpp"
#include "workloads/common/exact_sum.hpp"
#include "workloads/common/greatest.hpp"

#include <algorithm>
#include <bit>

namespace waywiser::shallow {
namespace {

constexpr double sphere_m2 = 4 * pi * earth_radius_m * earth_radius_m;
/// Upper bound of the wind speed in these tests [m/s].
constexpr double fastest = 500;

/// A pseudo-random number from -1 to 1 that depends only on the arguments.
double random(std::uint64_t purpose, Number place) {
    const std::uint64_t bits = splitmix(splitmix(purpose + 1) + static_cast<std::uint64_t>(place));
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

/// Greatest magnitude of some sums that should vanish, divided by the greatest sum of the magnitudes of their terms.
class Departure {
public:
    void add(std::initializer_list<double> terms) { add(std::span(terms.begin(), terms.size())); }
    void add(std::span<const double> terms) {
        double sum = 0;
        double magnitude = 0;
        for (const double term : terms) {
            sum += term;
            magnitude += std::abs(term);
        }
        greatest_ = greater(greatest_, sum);
        magnitude_ = std::max(magnitude_, magnitude);
    }

    [[nodiscard]] double over(const Ranks& ranks) const {
        std::array<double, 2> both{greatest_, magnitude_};
        MPI_Allreduce(MPI_IN_PLACE, both.data(), 2, MPI_DOUBLE, MPI_MAX, ranks.communicator);
        return both[1] > 0 ? both[0] / both[1] : HUGE_VAL;
    }

private:
    double greatest_ = 0;
    double magnitude_ = 0;
};

/// Exact sums of several quantities, by level.
class LevelSums {
public:
    LevelSums(Index levels, std::span<const double> bounds) : count_(bounds.size()) {
        for (Index k = 0; k < levels; ++k) {
            for (const double bound : bounds) sums_.emplace_back(bound);
        }
    }

    void add(Index level, std::size_t which, double term) {
        sums_[static_cast<std::size_t>(level) * count_ + which].add(term);
    }
    void add_ranks(const Ranks& ranks) { ExactSum::add_ranks(sums_, ranks.communicator); }
    [[nodiscard]] double operator()(Index level, std::size_t which) const {
        return sums_[static_cast<std::size_t>(level) * count_ + which].value();
    }

private:
    std::size_t count_;
    std::vector<ExactSum> sums_;
};

template <class Body>
void for_each_corner(const Domain& domain, Body body) {
    const Topology& topology = domain.mesh().topology();
    for (Index i = 0; i < domain.own_cells(); ++i) {
        const Topology::Cell& cell = topology.cell(domain.cells()[static_cast<std::size_t>(i)]);
        for (std::size_t k = 0; k < static_cast<std::size_t>(cell.sides); ++k) body(cell.vertices[k]);
    }
}

Departure curl_of_gradient(const Domain& domain) {
    const Topology& topology = domain.mesh().topology();
    Departure departure;
    for_each_corner(domain, [&](Number number) {
        const Topology::Vertex& vertex = topology.vertex(number);
        const VorticityRow row = domain.vorticity_row(number);
        std::array<double, 3> terms;
        for (std::size_t i = 0; i < 3; ++i) {
            const auto& [from, to] = topology.edge(vertex.edges[i]).cells;
            terms[i] = row.curls[i] * (random(0, to) - random(0, from)) /
                       (domain.mesh().distance(vertex.edges[i]) * earth_radius_m);
        }
        departure.add(terms);
    });
    return departure;
}

template <class Body>
void for_each_own_row(const Domain& domain, Body body) {
    for (const Block& block : domain.blocks()) {
        for (Index i = 0; i < block.own_cells; ++i) {
            const CellRow& row = block.cells[static_cast<std::size_t>(i)];
            body(domain.cells()[at(row.cell)], row);
        }
    }
}

/// Divergence of the flow of a random stream function, which vanishes for exact weights; checks the weights of the
/// blocks.
Departure divergence_of_stream(const Domain& domain) {
    const Topology& topology = domain.mesh().topology();
    Departure departure;
    for_each_own_row(domain, [&](Number, const CellRow& row) {
        std::array<double, most_sides> terms{};
        for (std::size_t k = 0; k < static_cast<std::size_t>(row.sides); ++k) {
            const Number edge = domain.edges()[at(row.edges[k])];
            const auto& [right, left] = topology.edge(edge).vertices;
            terms[k] =
                row.divergence * row.halves[k] * (random(1, left) - random(1, right)) / domain.mesh().length(edge);
        }
        departure.add(terms);
    });
    return departure;
}

/// Sum of a cell's weight between two edges, by the recurrence of the blocks, and of the weight in the other direction.
/// Antisymmetric weights have zero sums.
Departure antisymmetry(const Domain& domain) {
    Departure departure;
    for_each_own_row(domain, [&](Number number, const CellRow& row) {
        const auto sides = static_cast<std::size_t>(row.sides);
        std::array<double, most_sides> weights = row.firsts;
        for (std::size_t edge = 0; edge < sides; ++edge) {
            if (edge > 0) {
                for (std::size_t k = 0; k < sides; ++k) weights[k] += row.kites[edge - 1];
                weights[edge - 1] -= 1;
                weights[edge] -= 1;
            }
            for (std::size_t k = 0; k < sides; ++k) {
                departure.add({weights[k] / 2, tangential_weights(domain.mesh(), number, k)[edge]});
            }
        }
    });
    return departure;
}

double tangential_flux(const Domain& domain, Number edge) {
    const Tangent along = tangent(domain.mesh(), edge);
    double flux = 0;
    for (std::size_t i = 0; i < along.edges.size(); ++i) flux += along.weights[i] * random(2, along.edges[i]);
    return flux;
}

Departure remapping(const Domain& domain) {
    const Topology& topology = domain.mesh().topology();
    Departure departure;
    for_each_corner(domain, [&](Number number) {
        const Topology::Vertex& vertex = topology.vertex(number);
        std::vector<double> terms;
        for (std::size_t i = 0; i < 3; ++i) {
            const Number edge = vertex.edges[i];
            // Tangents point to the left of normals, out of the triangle on the right.
            terms.push_back((topology.edge(edge).vertices[0] == number ? 1 : -1) * tangential_flux(domain, edge));
        }
        for (const Number cell : vertex.cells) {
            const Topology::Cell& around = topology.cell(cell);
            double outflow = 0;
            for (std::size_t k = 0; k < static_cast<std::size_t>(around.sides); ++k) {
                outflow += outward(topology.edge(around.edges[k]), cell) * random(2, around.edges[k]);
            }
            terms.push_back(-outflow * domain.mesh().kite_at(cell, number) / domain.mesh().cell_area(cell));
        }
        departure.add(terms);
    });
    return departure;
}

}  // namespace

Identities check_identities(const Domain& domain, const Judge& judge, const Ranks& ranks) {
    return {curl_of_gradient(domain).over(ranks), divergence_of_stream(domain).over(ranks),
            antisymmetry(domain).over(ranks), remapping(domain).over(ranks), judge.departure_of_areas()};
}

Judge::Judge(const Domain& domain, const Problem& problem, const Settings& settings, const Ranks& ranks)
    : domain_(domain), settings_(settings), ranks_(ranks), greatest_depth_(problem.greatest_depth()) {
    const Mesh& mesh = domain.mesh();
    constexpr double square = earth_radius_m * earth_radius_m;
    for (Index i = 0; i < domain.own_cells(); ++i) {
        const Number number = domain.cells()[static_cast<std::size_t>(i)];
        cell_areas_.push_back(square * mesh.cell_area(number));
        // A vertex belongs to its first cell.
        const Topology::Cell& cell = mesh.topology().cell(number);
        for (std::size_t k = 0; k < static_cast<std::size_t>(cell.sides); ++k) {
            const Number vertex = cell.vertices[k];
            if (mesh.topology().vertex(vertex).cells[0] != number) continue;
            own_vertices_.push_back(vertex);
            vertex_areas_.push_back(square * mesh.vertex_area(vertex));
            vorticities_.push_back(domain.vorticity_row(vertex));
        }
    }
    for (Index i = 0; i < domain.own_edges(); ++i) {
        const Number edge = domain.edges()[static_cast<std::size_t>(i)];
        edge_areas_.push_back(square * mesh.length(edge) * mesh.distance(edge));
    }
}

double Judge::departure_of_areas() const {
    const std::array<double, 1> bound{2 * sphere_m2};
    double greatest = 0;
    for (const std::vector<double>* areas : {&cell_areas_, &vertex_areas_}) {
        LevelSums sum(1, bound);
        for (const double area : *areas) sum.add(0, 0, area);
        sum.add_ranks(ranks_);
        greatest = greater(greatest, sum(0, 0) / sphere_m2 - 1);
    }
    return greatest;
}

std::vector<Invariants> Judge::invariants(const State& state) const {
    const Index levels = settings_.levels;
    const double mass = sphere_m2 * greatest_depth_;
    const double speed_square = gravity_m_s2 * greatest_depth_ + fastest * fastest;
    const std::array<double, 4> bounds{mass, mass * speed_square, sphere_m2 * 1e-8, sphere_m2 * 1e-3};
    LevelSums sums(levels, bounds);
    for (Index i = 0; i < domain_.own_cells(); ++i) {
        const double area = cell_areas_[static_cast<std::size_t>(i)];
        const double* h = state.thickness.row(i);
        const double bottom =
            domain_.ground().height(domain_.mesh().centre(domain_.cells()[static_cast<std::size_t>(i)]));
        for (Index k = 0; k < levels; ++k) {
            sums.add(k, 0, area * h[k]);
            sums.add(k, 1, area * gravity_m_s2 * h[k] * (h[k] / 2 + bottom));
        }
    }
    for (Index i = 0; i < domain_.own_edges(); ++i) {
        const auto& between = domain_.mesh().topology().edge(domain_.edges()[static_cast<std::size_t>(i)]).cells;
        const double* h = state.thickness.row(domain_.local_cell(between[0]));
        const double* h_across = state.thickness.row(domain_.local_cell(between[1]));
        const double* u = state.velocity.row(i);
        const double area = edge_areas_[static_cast<std::size_t>(i)];
        for (Index k = 0; k < levels; ++k) sums.add(k, 1, area * (h[k] + h_across[k]) * u[k] * u[k] / 4);
    }
    for (std::size_t i = 0; i < vorticities_.size(); ++i) {
        const VorticityRow& row = vorticities_[i];
        for (Index k = 0; k < levels; ++k) {
            double absolute = row.coriolis;
            double thickness = 0;
            for (std::size_t side = 0; side < 3; ++side) {
                absolute += row.curls[side] * state.velocity.row(row.edges[side])[k];
                thickness += row.kites[side] * state.thickness.row(row.cells[side])[k];
            }
            sums.add(k, 2, vertex_areas_[i] * absolute * absolute / thickness / 2);
            sums.add(k, 3, vertex_areas_[i] * absolute);
        }
    }
    sums.add_ranks(ranks_);
    std::vector<Invariants> all;
    // The integral of |f|.
    constexpr double magnitude = sphere_m2 * rotation_per_s;
    for (Index k = 0; k < levels; ++k) {
        all.push_back({sums(k, 0), sums(k, 1), sums(k, 2), sums(k, 3) / magnitude});
    }
    return all;
}

std::vector<Errors> Judge::errors(const State& state, const State& start) const {
    const Index levels = settings_.levels;
    const double mass = sphere_m2 * greatest_depth_;
    const std::array<double, 6> bounds{mass,
                                       mass,
                                       mass * greatest_depth_,
                                       mass * greatest_depth_,
                                       2 * sphere_m2 * fastest * fastest,
                                       2 * sphere_m2 * fastest * fastest};
    LevelSums sums(levels, bounds);
    std::vector<double> greatest(2 * static_cast<std::size_t>(levels));
    for (Index i = 0; i < domain_.own_cells(); ++i) {
        const double area = cell_areas_[static_cast<std::size_t>(i)];
        for (Index k = 0; k < levels; ++k) {
            const double exact = start.thickness.row(i)[k];
            const double error = std::abs(state.thickness.row(i)[k] - exact);
            sums.add(k, 0, area * error);
            sums.add(k, 1, area * exact);
            sums.add(k, 2, area * error * error);
            sums.add(k, 3, area * exact * exact);
            double* most = greatest.data() + 2 * k;
            most[0] = greater(most[0], error);
            most[1] = std::max(most[1], exact);
        }
    }
    for (Index i = 0; i < domain_.own_edges(); ++i) {
        const double area = edge_areas_[static_cast<std::size_t>(i)];
        for (Index k = 0; k < levels; ++k) {
            const double exact = start.velocity.row(i)[k];
            const double error = state.velocity.row(i)[k] - exact;
            sums.add(k, 4, area * error * error);
            sums.add(k, 5, area * exact * exact);
        }
    }
    sums.add_ranks(ranks_);
    MPI_Allreduce(MPI_IN_PLACE, greatest.data(), static_cast<int>(greatest.size()), MPI_DOUBLE, MPI_MAX,
                  ranks_.communicator);
    std::vector<Errors> all;
    for (Index k = 0; k < levels; ++k) {
        const auto ratio = [&](std::size_t which) { return sums(k, which) / sums(k, which + 1); };
        const double* most = greatest.data() + 2 * k;
        all.push_back({ratio(0), std::sqrt(ratio(2)), most[0] / most[1], std::sqrt(ratio(4))});
    }
    return all;
}

std::vector<std::uint64_t> Judge::digests(const State& state) const {
    std::vector<std::uint64_t> digests(static_cast<std::size_t>(settings_.levels));
    const auto add = [&](std::uint64_t purpose, const std::vector<Number>& numbers, Index count, const Rows& field) {
        for (Index i = 0; i < count; ++i) {
            const auto place = static_cast<std::uint64_t>(numbers[static_cast<std::size_t>(i)]);
            for (std::size_t k = 0; k < digests.size(); ++k) {
                digests[k] +=
                    splitmix(splitmix(splitmix(purpose) + place) + std::bit_cast<std::uint64_t>(field.row(i)[k]));
            }
        }
    };
    add(1, domain_.cells(), domain_.own_cells(), state.thickness);
    add(2, domain_.edges(), domain_.own_edges(), state.velocity);
    MPI_Allreduce(MPI_IN_PLACE, digests.data(), static_cast<int>(digests.size()), MPI_UINT64_T, MPI_SUM,
                  ranks_.communicator);
    return digests;
}

}  // namespace waywiser::shallow
