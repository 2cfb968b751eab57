#include "workloads/shallow/topology.hpp"

#include <algorithm>

namespace waywiser::shallow {
namespace {

constexpr int north_pole = -1;
constexpr int south_pole = rhombi;
constexpr int half = rhombi / 2;

/// Moves bits to every second position, for Morton order.
Index spread(Index bits) {
    Index spread = 0;
    for (int bit = 0; bit < 16; ++bit) spread |= (bits >> bit & 1) << (2 * bit);
    return spread;
}

Index gathered(Index bits) {
    Index gathered = 0;
    for (int bit = 0; bit < 16; ++bit) gathered |= (bits >> (2 * bit) & 1) << bit;
    return gathered;
}

Number number_of(Index grid, const Seat& seat) {
    if (seat.rhombus == north_pole) return 0;
    const Index each = Index{1} << (2 * grid);
    if (seat.rhombus == south_pole) return static_cast<Number>(rhombi * each + 1);
    return static_cast<Number>(1 + seat.rhombus * each + 2 * spread(seat.row) + spread(seat.column));
}

/// A rhombus with its borders has rows and columns 0 to n. The rhombus owns rows 1 to n and columns 0 to n - 1; its
/// neighbours own the others.
Seat seat_within(Index n, int rhombus, Index i, Index j) {
    const int next = (rhombus % half + 1) % half;
    if (i > 0 && j < n) return {rhombus, i - 1, j};
    if (rhombus < half) {
        if (i == 0 && j == 0) return {north_pole, 0, 0};
        if (i == 0) return {next, j - 1, 0};
        return {rhombus + half, i - 1, 0};
    }
    if (i == n) return {south_pole, 0, 0};
    if (j < n) return {next, n - 1, j};
    if (i == 0) return {next + half, n - 1, 0};
    return {next + half, n - 1, i};
}

template <class Array>
std::size_t place_of(const Array& array, Number number) {
    return static_cast<std::size_t>(std::ranges::find(array, number) - array.begin());
}

}  // namespace

Seat seat_of(Index grid, Number cell) {
    const Index each = Index{1} << (2 * grid);
    if (cell == 0) return {north_pole, 0, 0};
    const Index place = cell - 1;
    if (place == rhombi * each) return {south_pole, 0, 0};
    return {static_cast<int>(place / each), gathered(place % each >> 1), gathered(place % each)};
}

Number cell_at(Index grid, int rhombus, Index i, Index j) {
    return number_of(grid, seat_within(Index{1} << grid, rhombus, i, j));
}

Topology::Topology(Index grid) : grid_(grid), cells_(static_cast<std::size_t>(cells_of(grid))) {
    make_vertices();
    walk_around_cells();
    make_edges();
}

/// Each square of a rhombus consists of two triangles.
void Topology::make_vertices() {
    const Index n = Index{1} << grid_;
    vertices_.reserve(static_cast<std::size_t>(2 * rhombi * n * n));
    for (int rhombus = 0; rhombus < rhombi; ++rhombus) {
        for (Index square = 0; square < n * n; ++square) {
            const Index i = gathered(square >> 1);
            const Index j = gathered(square);
            const Number below = cell_at(grid_, rhombus, i + 1, j);
            const Number beside = cell_at(grid_, rhombus, i, j + 1);
            vertices_.push_back({{cell_at(grid_, rhombus, i, j), below, beside}, {}});
            vertices_.push_back({{below, cell_at(grid_, rhombus, i + 1, j + 1), beside}, {}});
        }
    }
}

void Topology::walk_around_cells() {
    for (Number vertex = 0; vertex < vertices(); ++vertex) {
        for (const Number cell : vertices_[at(vertex)].cells) {
            Cell& around = cells_[at(cell)];
            around.vertices[static_cast<std::size_t>(around.sides++)] = vertex;
        }
    }
    for (Number number = 0; number < cells(); ++number) {
        Cell& cell = cells_[at(number)];
        const auto sides = static_cast<std::size_t>(cell.sides);
        const auto corner = [&](std::size_t k, std::size_t after) {
            const auto& corners = vertices_[at(cell.vertices[k])].cells;
            return corners[(place_of(corners, number) + after) % 3];
        };
        for (std::size_t k = 0; k < sides; ++k) {
            cell.neighbours[k] = corner(k, 1);
            if (k + 1 == sides) break;
            std::size_t next = k + 1;
            while (corner(next, 1) != corner(k, 2)) ++next;
            std::swap(cell.vertices[k + 1], cell.vertices[next]);
        }
    }
}

void Topology::make_edges() {
    edges_.reserve(3 * cells_.size() - 6);
    for (Number number = 0; number < cells(); ++number) {
        Cell& cell = cells_[at(number)];
        const auto sides = static_cast<std::size_t>(cell.sides);
        for (std::size_t k = 0; k < sides; ++k) {
            const Number neighbour_number = cell.neighbours[k];
            if (neighbour_number < number) continue;
            cell.edges[k] = edges();
            Cell& neighbour = cells_[at(neighbour_number)];
            neighbour.edges[place_of(neighbour.neighbours, number)] = edges();
            edges_.push_back({{number, neighbour_number}, {cell.vertices[(k + sides - 1) % sides], cell.vertices[k]}});
        }
    }
    for (Vertex& vertex : vertices_) {
        for (std::size_t k = 0; k < 3; ++k) {
            const Cell& cell = cells_[at(vertex.cells[k])];
            vertex.edges[k] = cell.edges[place_of(cell.neighbours, vertex.cells[(k + 1) % 3])];
        }
    }
}

}  // namespace waywiser::shallow
