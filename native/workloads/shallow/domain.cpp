#include "workloads/shallow/domain.hpp"

#include "workloads/common/threads.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace waywiser::shallow {
namespace {

constexpr double peak_m = 2000;
constexpr double mountain_radius = pi / 9;
constexpr double mountain_longitude = 3 * pi / 2;
constexpr double mountain_latitude = pi / 6;

}  // namespace

/// Numbers objects in the order of their first use.
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

/// Free rows of scratch memory. The row that was returned last is taken first, since it is still in the L1 cache.
class FreeRows {
public:
    Number take() {
        if (given_back_.empty()) return count_++;
        const Number row = given_back_.back();
        given_back_.pop_back();
        return row;
    }
    void give_back(Number row) { given_back_.push_back(row); }
    [[nodiscard]] Index count() const { return count_; }

private:
    std::vector<Number> given_back_;
    Number count_ = first_free_row;
};

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

/// Makes blocks of consecutive cells and edges; edges are numbered in the order of their cells.
class Domain::BlockMaker {
public:
    explicit BlockMaker(const Domain& domain)
        : domain_(domain),
          topology_(domain.mesh().topology()),
          cells_(at(topology_.cells())),
          corners_(at(topology_.vertices())),
          gifts_(at(topology_.edges())) {}

    Block make(Index first_cell, Index last_cell, Index first_edge, Index last_edge) {
        Block block{};
        block.own_cells = last_cell - first_cell;
        for (Index i = first_cell; i < last_cell; ++i) (void)cells_(domain_.cells()[static_cast<std::size_t>(i)]);
        for (Index i = first_edge; i < last_edge; ++i) {
            const Number edge = domain_.edges()[static_cast<std::size_t>(i)];
            for (const Number cell : topology_.edge(edge).cells) (void)cells_(cell);
        }
        for (const Number cell : cells_.things()) {
            for_each_side(cell, [&](std::size_t, Number vertex, Number) { ++corners_[at(vertex)].cells_left; });
        }
        FreeRows free;
        for (const Number cell : cells_.things()) {
            CellRow row = domain_.cell_row(cell);
            for_each_side(cell, [&](std::size_t k, Number vertex, Number edge) {
                Number& corner = corners_[at(vertex)].row;
                if (corner == 0) {
                    corner = free.take();
                    row.new_corners = static_cast<std::uint8_t>(row.new_corners | 1U << k);
                    block.vorticities.push_back(domain_.vorticity_row(vertex));
                }
                row.corners[k] = corner;
                const Number number = domain_.local_edge(edge);
                if (number < first_edge || number >= last_edge) return;  // no edge of the block reads the contribution
                row.gifts[k] = free.take();
                std::array<Number, 2>& gifts = gifts_[at(edge)];
                gifts[topology_.edge(edge).cells[0] == cell ? 0 : 1] = row.gifts[k];
                if (std::ranges::count(gifts, unused_gift) > 0) return;  // the other cell comes later
                row.complete_edges = static_cast<std::uint8_t>(row.complete_edges | 1U << k);
                block.edges.push_back({gifts, 1 / (domain_.mesh().distance(edge) * earth_radius_m)});
            });
            for_each_side(cell, [&](std::size_t k, Number vertex, Number edge) {
                if ((row.complete_edges >> k & 1) != 0)
                    for (const Number gift : gifts_[at(edge)]) free.give_back(gift);
                if (--corners_[at(vertex)].cells_left == 0) free.give_back(std::exchange(corners_[at(vertex)].row, 0));
            });
            block.cells.push_back(row);
        }
        block.scratch_rows = free.count();
        cells_.clear();
        return block;
    }

private:
    struct Corner {
        Number row;  ///< scratch row of the potential vorticity; 0: none
        int cells_left;
    };

    /// \param body  takes k, vertex k and edge k
    template <class Body>
    void for_each_side(Number number, Body body) const {
        const Topology::Cell& cell = topology_.cell(number);
        for (std::size_t k = 0; k < static_cast<std::size_t>(cell.sides); ++k) body(k, cell.vertices[k], cell.edges[k]);
    }

    const Domain& domain_;
    const Topology& topology_;
    Numbering cells_;
    std::vector<Corner> corners_;
    std::vector<std::array<Number, 2>> gifts_;  ///< scratch rows of the contributions to each edge
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

CellRow Domain::cell_row(Number number) const {
    const Topology::Cell& cell = mesh_.topology().cell(number);
    const double area = mesh_.cell_area(number);
    const std::vector<double> weights = tangential_weights(mesh_, number, 0);
    CellRow row{};
    row.sides = static_cast<std::uint8_t>(cell.sides);
    row.cell = local_cell(number);
    row.bottom = gravity_m_s2 * ground_.height(mesh_.centre(number));
    row.divergence = -8 / (area * earth_radius_m * earth_radius_m);
    for (std::size_t k = 0; k < static_cast<std::size_t>(cell.sides); ++k) {
        const Number edge = cell.edges[k];
        row.neighbours[k] = local_cell(cell.neighbours[k]);
        row.edges[k] = local_edge(edge);
        row.halves[k] = outward(mesh_.topology().edge(edge), number) * mesh_.length(edge) * earth_radius_m / 16;
        row.firsts[k] = 2 * weights[k];
        row.kites[k] = 2 * mesh_.kite(number, k) / area;
        row.energies[k] = mesh_.length(edge) * mesh_.distance(edge) / (4 * area);
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

    if (block == 0) block = (own_cells_ + thread_limit() - 1) / thread_limit();
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
