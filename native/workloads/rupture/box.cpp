#include "workloads/rupture/box.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace waywiser::rupture {
namespace {

using Corner = std::array<int, 3>;
using Nodes = std::array<std::int64_t, 3>;

/// Corners of a cube on the paths from (0, 0, 0) to (1, 1, 1), one axis after the other. The middle two are exchanged
/// if the path turns left, so that all cells are positively oriented.
constexpr std::array<std::array<Corner, 4>, 6> kuhn{{
    {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}}},
    {{{0, 0, 0}, {1, 0, 1}, {1, 0, 0}, {1, 1, 1}}},
    {{{0, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 1, 1}}},
    {{{0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {1, 1, 1}}},
    {{{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}}},
    {{{0, 0, 0}, {0, 1, 1}, {0, 0, 1}, {1, 1, 1}}},
}};

/// Orders of a cell's vertices that keep its orientation.
constexpr std::array<std::array<std::size_t, 4>, 12> turns{{
    {0, 1, 2, 3},
    {0, 2, 3, 1},
    {0, 3, 1, 2},
    {1, 0, 3, 2},
    {1, 2, 0, 3},
    {1, 3, 2, 0},
    {2, 0, 1, 3},
    {2, 1, 3, 0},
    {2, 3, 0, 1},
    {3, 0, 2, 1},
    {3, 1, 0, 2},
    {3, 2, 1, 0},
}};

struct Cell {
    std::array<Corner, 4> corners;
    std::int64_t id;
};

/// One side of a face: the number of a generated cell, and its local face.
struct Side {
    int cell;
    int face;
};

struct SortedNodes {
    std::size_t operator()(const Nodes& nodes) const {
        std::size_t hash = 0;
        for (const std::int64_t node : nodes) hash = (hash ^ static_cast<std::size_t>(node)) * kGolden;
        return hash ^ (hash >> 29);
    }
};

class Builder {
public:
    Builder(const Box& box, int rank, int ranks) : box_(box), rank_(rank), ranks_(ranks) {
        require(ranks <= box.cubes(0), "the box has " + std::to_string(box.cubes(0)) +
                                           " layers of cubes, and there are " + std::to_string(ranks) +
                                           " ranks: give at most one a layer");
        for (int i = first(rank); i < first(rank + 1); ++i) add_layer(i);
        own_ = static_cast<int>(cells_.size());
        add_neighbouring_layers();
        for (int cell = 0; cell < static_cast<int>(cells_.size()); ++cell) {
            for (int face = 0; face < 4; ++face) sides_[sorted(nodes(cell, face))].push_back({cell, face});
        }
    }

    MeshPart build() {
        MeshPart part;
        for (int cell = 0; cell < own_; ++cell) {
            part.vertices.push_back(points(cell));
            part.ids.push_back(cells_[static_cast<std::size_t>(cell)].id);
            std::array<MeshFace, 4> faces{};
            for (int face = 0; face < 4; ++face) faces[static_cast<std::size_t>(face)] = describe(cell, face);
            part.faces.push_back(faces);
        }
        part.groups.assign(part.ids.size(), 0);
        part.clusters.assign(part.ids.size(), 0);
        for (const auto& [where, side] : ghosts_) {
            if (part.neighbours.empty() || part.neighbours.back().part != where.part) {
                part.neighbours.push_back({where.part, 0});
            }
            ++part.neighbours.back().ghosts;
            const auto ghost = static_cast<std::int32_t>(part.ghosts.size());
            part.faces[static_cast<std::size_t>(side.cell)][static_cast<std::size_t>(side.face)].neighbour =
                own_ + ghost;
            part.ghosts.push_back({side.cell, side.face});
        }
        return part;
    }

private:
    struct Shared {
        std::int32_t part;
        std::int64_t lower_id;
        int face;  ///< face of the cell with the lower id
        auto operator<=>(const Shared&) const = default;
    };

    [[nodiscard]] int first(int rank) const {
        return static_cast<int>(static_cast<std::int64_t>(box_.cubes(0)) * rank / ranks_);
    }

    [[nodiscard]] int owner(std::int64_t id) const {
        const std::int64_t layer = id / (6LL * box_.cubes(1) * box_.cubes(2));
        int rank = 0;
        while (first(rank + 1) <= layer) ++rank;
        return rank;
    }

    void add_layer(int i) {
        for (int j = 0; j < box_.cubes(1); ++j) {
            for (int k = 0; k < box_.cubes(2); ++k) {
                const std::int64_t cube = (static_cast<std::int64_t>(i) * box_.cubes(1) + j) * box_.cubes(2) + k;
                for (std::size_t t = 0; t < 6; ++t) {
                    cells_.push_back(place({i, j, k}, t, 6 * cube + static_cast<std::int64_t>(t)));
                }
            }
        }
    }

    /// The order of vertices varies between cells, as in a generated mesh, so that faces meet in all possible ways.
    [[nodiscard]] static Cell place(const Corner& cube, std::size_t t, std::int64_t id) {
        const auto& turn = turns[static_cast<std::size_t>(7 * (id / 6) + 5 * static_cast<std::int64_t>(t)) % 12];
        Cell cell{.corners = {}, .id = id};
        for (std::size_t v = 0; v < 4; ++v) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                cell.corners[v][axis] = cube[axis] + kuhn[t][turn[v]][axis];
            }
        }
        return cell;
    }

    void add_neighbouring_layers() {
        const int n = box_.cubes(0);
        std::vector<int> layers;
        for (int i : {first(rank_) - 1, first(rank_ + 1)}) {
            if (box_.periodic[0]) i = (i + n) % n;
            const bool own = i >= first(rank_) && i < first(rank_ + 1);
            const bool known = std::ranges::find(layers, i) != layers.end();
            if (i >= 0 && i < n && !own && !known) layers.push_back(i);
        }
        for (const int i : layers) add_layer(i);
    }

    [[nodiscard]] const Corner& corner(int cell, int face, std::size_t j) const {
        const int vertex = face_vertices[static_cast<std::size_t>(face)][j];
        return cells_[static_cast<std::size_t>(cell)].corners[static_cast<std::size_t>(vertex)];
    }

    /// Numbers of the nodes of a face, the same on both ends of a periodic axis.
    [[nodiscard]] Nodes nodes(int cell, int face) const {
        Nodes numbers{};
        for (std::size_t j = 0; j < 3; ++j) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const int n = box_.cubes(axis);
                const int at = corner(cell, face, j)[axis];
                numbers[j] = numbers[j] * (n + 1) + (box_.periodic[axis] ? at % n : at);
            }
        }
        return numbers;
    }

    [[nodiscard]] static Nodes sorted(Nodes nodes) {
        std::ranges::sort(nodes);
        return nodes;
    }

    [[nodiscard]] std::array<Point, 4> points(int cell) const {
        std::array<Point, 4> all{};
        for (std::size_t v = 0; v < 4; ++v) {
            const Corner& at = cells_[static_cast<std::size_t>(cell)].corners[v];
            for (std::size_t axis = 0; axis < 3; ++axis) {
                all[v][axis] = box_.lines[axis][static_cast<std::size_t>(at[axis])];
            }
        }
        return all;
    }

    /// True if all three corners of a face are within [low, high] of an axis.
    [[nodiscard]] bool within(int cell, int face, std::size_t axis, int low, int high) const {
        for (std::size_t j = 0; j < 3; ++j) {
            const int at = corner(cell, face, j)[axis];
            if (at < low || at > high) return false;
        }
        return true;
    }

    [[nodiscard]] FaceTag boundary(int cell, int face) const {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const int n = box_.cubes(axis);
            if (within(cell, face, axis, 0, 0)) return box_.sides[axis][0];
            if (within(cell, face, axis, n, n)) return box_.sides[axis][1];
        }
        throw Error("a box has a face without a neighbour inside");
    }

    [[nodiscard]] bool on_fault(int cell, int face) const {
        const BoxFault& fault = box_.fault;
        return fault.y >= 0 && within(cell, face, 1, fault.y, fault.y) &&
               within(cell, face, 0, fault.x[0], fault.x[1]) && within(cell, face, 2, fault.z[0], fault.z[1]);
    }

    MeshFace describe(int cell, int face) {
        const Nodes mine = nodes(cell, face);
        const std::vector<Side>& sides = sides_.at(sorted(mine));
        if (sides.size() == 1) return {boundary(cell, face), -1, 0, 0};
        const Side& neighbour = sides[0].cell == cell ? sides[1] : sides[0];
        const Nodes theirs = nodes(neighbour.cell, neighbour.face);
        const auto rotation = static_cast<std::int32_t>(std::ranges::find(theirs, mine[0]) - theirs.begin());
        if (neighbour.cell >= own_) {
            const std::int64_t id = cells_[static_cast<std::size_t>(cell)].id;
            const std::int64_t neighbour_id = cells_[static_cast<std::size_t>(neighbour.cell)].id;
            ghosts_[{owner(neighbour_id), std::min(id, neighbour_id), id < neighbour_id ? face : neighbour.face}] = {
                cell, face};
        }
        return {on_fault(cell, face) ? dynamic_rupture : inside, neighbour.cell, neighbour.face, rotation};
    }

    const Box& box_;
    int rank_;
    int ranks_;
    int own_ = 0;
    std::vector<Cell> cells_;
    std::unordered_map<Nodes, std::vector<Side>, SortedNodes> sides_;
    std::map<Shared, Side> ghosts_;
};

}  // namespace

MeshPart make_box_part(const Box& box, int rank, int ranks) { return Builder(box, rank, ranks).build(); }

}  // namespace waywiser::rupture
