#include "workloads/shallow/domain.hpp"

#include <algorithm>

namespace waywiser::shallow {
namespace {

constexpr double peak_m = 2000;
constexpr double mountain_radius = pi / 9;
constexpr double mountain_longitude = 3 * pi / 2;
constexpr double mountain_latitude = pi / 6;

std::size_t at(Number number) { return static_cast<std::size_t>(number); }

/// Numbers things in the order in which they are first asked for.
class Numbering {
public:
    explicit Numbering(std::size_t things) : numbers_(things, -1) {}

    Number operator()(Number thing) {
        Number& number = numbers_[at(thing)];
        if (number < 0) {
            number = static_cast<Number>(things_.size());
            things_.push_back(thing);
        }
        return number;
    }

    [[nodiscard]] const std::vector<Number>& things() const { return things_; }

    void clear() {
        for (const Number thing : things_) numbers_[at(thing)] = -1;
        things_.clear();
    }

private:
    std::vector<Number> numbers_;
    std::vector<Number> things_;
};

}  // namespace

double Ground::coriolis(const Vector3& at) const { return 2 * rotation_per_s * dot(axis, at); }

double Ground::height(const Vector3& at) const {
    if (!mountain) return 0;
    const double latitude = std::asin(at[2]);
    const double longitude = std::atan2(at[1], at[0]);
    const double east = (longitude < 0 ? longitude + 2 * pi : longitude) - mountain_longitude;
    const double north = latitude - mountain_latitude;
    return peak_m * (1 - std::min(mountain_radius, std::sqrt(east * east + north * north)) / mountain_radius);
}

std::vector<double> tangential_weights(const Mesh& mesh, Number cell, std::size_t from) {
    const auto sides = static_cast<std::size_t>(mesh.topology().cell(cell).sides);
    const double area = mesh.cell_area(cell);
    std::vector<double> weights(sides);
    double share = 0;
    for (std::size_t step = 1; step < sides; ++step) {
        share += mesh.kite(cell, (from + step - 1) % sides) / area;
        weights[(from + step) % sides] = 0.5 - share;
    }
    return weights;
}

Tangent tangent(const Mesh& mesh, Number edge) {
    Tangent tangent;
    const Topology& topology = mesh.topology();
    for (const Number number : topology.edge(edge).cells) {
        const Topology::Cell& cell = topology.cell(number);
        const auto sides = static_cast<std::size_t>(cell.sides);
        const auto from = static_cast<std::size_t>(std::ranges::find(cell.edges, edge) - cell.edges.begin());
        const std::vector<double> weights = tangential_weights(mesh, number, from);
        const double side = outward(topology.edge(edge), number);
        for (std::size_t step = 1; step < sides; ++step) {
            const std::size_t k = (from + step) % sides;
            tangent.edges.push_back(cell.edges[k]);
            tangent.weights.push_back(side * outward(topology.edge(cell.edges[k]), number) * weights[k]);
        }
    }
    return tangent;
}

/// Makes blocks one after the other; edges follow the cells that they were numbered from.
class Domain::BlockMaker {
public:
    explicit BlockMaker(const Domain& domain)
        : domain_(domain),
          topology_(domain.mesh().topology()),
          vertices_(at(topology_.vertices())),
          fluxes_(at(topology_.edges())),
          energies_(at(topology_.cells())) {}

    Block make(Index first_cell, Index last_cell, Index first_edge, Index last_edge) {
        Block block;
        block.first_cell = first_cell;
        block.first_edge = first_edge;
        for (Index i = first_cell; i < last_cell; ++i) {
            block.thicknesses.push_back(thickness_row(domain_.cells()[static_cast<std::size_t>(i)]));
        }
        for (Index i = first_edge; i < last_edge; ++i) {
            block.velocities.push_back(velocity_row(domain_.edges()[static_cast<std::size_t>(i)]));
        }
        for (const Number edge : fluxes_.things()) block.fluxes.push_back(flux_row(edge));
        for (const Number vertex : vertices_.things()) block.vorticities.push_back(domain_.vorticity_row(vertex));
        for (const Number cell : energies_.things()) block.energies.push_back(domain_.energy_row(cell));
        vertices_.clear();
        fluxes_.clear();
        energies_.clear();
        return block;
    }

private:
    ThicknessRow thickness_row(Number number) {
        const Mesh& mesh = domain_.mesh();
        const Topology::Cell& cell = topology_.cell(number);
        const double area = mesh.cell_area(number) * earth_radius_m;
        ThicknessRow row{};
        row.fluxes.fill(fluxes_(cell.edges[0]));
        for (std::size_t k = 0; k < static_cast<std::size_t>(cell.sides); ++k) {
            const Number edge = cell.edges[k];
            row.fluxes[k] = fluxes_(edge);
            row.weights[k] = -outward(topology_.edge(edge), number) * mesh.length(edge) / area;
        }
        return row;
    }

    VelocityRow velocity_row(Number edge) {
        const Mesh& mesh = domain_.mesh();
        const double distance = mesh.distance(edge);
        VelocityRow row{};
        row.own = fluxes_(edge);
        for (std::size_t side = 0; side < 2; ++side) row.energies[side] = energies_(topology_.edge(edge).cells[side]);
        row.inverse_distance = 1 / (distance * earth_radius_m);
        row.fluxes.fill(row.own);
        const Tangent along = tangent(mesh, edge);
        for (std::size_t i = 0; i < along.edges.size(); ++i) {
            row.fluxes[i] = fluxes_(along.edges[i]);
            row.weights[i] = along.weights[i] * mesh.length(along.edges[i]) / distance / 2;
        }
        return row;
    }

    FluxRow flux_row(Number edge) {
        const Topology::Edge& between = topology_.edge(edge);
        return {domain_.local_edge(edge),
                {domain_.local_cell(between.cells[0]), domain_.local_cell(between.cells[1])},
                {vertices_(between.vertices[0]), vertices_(between.vertices[1])}};
    }

    const Domain& domain_;
    const Topology& topology_;
    Numbering vertices_, fluxes_, energies_;
};

VorticityRow Domain::vorticity_row(Number number) const {
    const Topology::Vertex& vertex = mesh_.topology().vertex(number);
    const double area = mesh_.vertex_area(number);
    VorticityRow row{};
    for (std::size_t i = 0; i < 3; ++i) {
        const Number edge = vertex.edges[i];
        row.cells[i] = local_cell(vertex.cells[i]);
        row.edges[i] = local_edge(edge);
        row.kites[i] = mesh_.kite_at(vertex.cells[i], number) / area;
        row.curls[i] =
            outward(mesh_.topology().edge(edge), vertex.cells[i]) * mesh_.distance(edge) / (area * earth_radius_m);
    }
    row.coriolis = ground_.coriolis(mesh_.corner(number));
    return row;
}

EnergyRow Domain::energy_row(Number number) const {
    const Topology::Cell& cell = mesh_.topology().cell(number);
    EnergyRow row{};
    row.cell = local_cell(number);
    row.bottom = gravity_m_s2 * ground_.height(mesh_.centre(number));
    row.edges.fill(local_edge(cell.edges[0]));
    for (std::size_t k = 0; k < static_cast<std::size_t>(cell.sides); ++k) {
        row.edges[k] = local_edge(cell.edges[k]);
        row.weights[k] = mesh_.length(cell.edges[k]) * mesh_.distance(cell.edges[k]) / (4 * mesh_.cell_area(number));
    }
    return row;
}

Domain::Domain(const Mesh& mesh, const Share& share, const std::map<int, Packet>& sent, const Ground& ground,
               Index block)
    : mesh_(mesh),
      ground_(ground),
      own_cells_(static_cast<Index>(share.own_cells.size())),
      own_edges_(static_cast<Index>(share.own_edges.size())),
      cells_(share.own_cells),
      edges_(share.own_edges),
      local_cells_(at(mesh.topology().cells()), -1),
      local_edges_(at(mesh.topology().edges()), -1) {
    for (const auto& [rank, packet] : share.received) {
        cells_.insert(cells_.end(), packet.cells.begin(), packet.cells.end());
        edges_.insert(edges_.end(), packet.edges.begin(), packet.edges.end());
    }
    for (std::size_t i = 0; i < cells_.size(); ++i) local_cells_[at(cells_[i])] = static_cast<Number>(i);
    for (std::size_t i = 0; i < edges_.size(); ++i) local_edges_[at(edges_[i])] = static_cast<Number>(i);
    const auto message = [&](int rank, const Packet& packet) {
        Message rows{rank, {}, {}};
        for (const Number cell : packet.cells) rows.cells.push_back(local_cell(cell));
        for (const Number edge : packet.edges) rows.edges.push_back(local_edge(edge));
        return rows;
    };
    for (const auto& [rank, packet] : share.received) received_.push_back(message(rank, packet));
    for (const auto& [rank, packet] : sent) sent_.push_back(message(rank, packet));

    BlockMaker maker(*this);
    Index edge = 0;
    for (Index cell = 0; cell < own_cells_; cell += block) {
        const Index last_cell = std::min(cell + block, own_cells_);
        Index last_edge = edge;
        const auto is_of_block = [&](Number number) {
            const auto& between = mesh.topology().edge(number).cells;
            return std::ranges::any_of(between, [&](Number side) {
                const Number local = local_cell(side);
                return local >= 0 && local < last_cell;
            });
        };
        while (last_edge < own_edges_ && is_of_block(edges_[static_cast<std::size_t>(last_edge)])) ++last_edge;
        blocks_.push_back(maker.make(cell, last_cell, edge, last_edge));
        edge = last_edge;
    }
}

}  // namespace waywiser::shallow
