#include "place/grid_growth.hpp"

#include <algorithm>
#include <array>

namespace waywiser::place {
namespace {

constexpr std::uint32_t kNoNeighbour = UINT32_MAX;

bool adjacent(const PairGraph& graph, std::uint32_t a, std::uint32_t b) {
    return std::ranges::binary_search(graph.neighbours(a), b);
}

/// Common neighbours of a and b other than `corner`.
std::uint32_t squares(const PairGraph& graph, std::uint32_t corner, std::uint32_t a, std::uint32_t b) {
    const auto of_a = graph.neighbours(a);
    return static_cast<std::uint32_t>(
        std::ranges::count_if(of_a, [&](std::uint32_t x) { return x != corner && adjacent(graph, x, b); }));
}

/// Finds each rank's neighbour in each direction: 2 i up and 2 i + 1 down dimension i.
class Growth {
public:
    explicit Growth(const PairGraph& graph) : graph_(graph) {}

    bool grow() {
        const std::uint32_t ranks = graph_.ranks();
        std::uint32_t start = 0;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            if (graph_.neighbours(rank).size() > std::size_t{2} * kMostDimensions) return false;
            if (graph_.neighbours(rank).size() < graph_.neighbours(start).size()) start = rank;
        }
        if (!first_directions(start)) return false;
        coordinates_.assign(std::size_t{ranks} * dimensions_, 0);
        std::vector<std::uint32_t> reached{start};
        reached.reserve(ranks);
        std::vector<bool> known(ranks);
        known[start] = true;
        for (std::size_t i = 0; i < reached.size(); ++i) {
            const std::uint32_t from = reached[i];
            for (std::uint32_t direction = 0; direction < 2 * dimensions_; ++direction) {
                const std::uint32_t to = toward(from, direction);
                if (to == kNoNeighbour || known[to]) continue;
                known[to] = true;
                reached.push_back(to);
                if (!step(from, to, direction)) return false;
            }
        }
        return reached.size() == ranks;
    }

    [[nodiscard]] std::uint32_t dimensions() const { return dimensions_; }
    [[nodiscard]] const std::vector<std::int32_t>& coordinates() const { return coordinates_; }

private:
    std::uint32_t& toward(std::uint32_t rank, std::uint32_t direction) {
        return toward_[std::size_t{rank} * 2 * dimensions_ + direction];
    }

    /// Neighbours of the first rank are up and down one dimension if they make no square with it.
    bool first_directions(std::uint32_t start) {
        std::vector<std::array<std::uint32_t, 2>> directions;
        for (const std::uint32_t neighbour : graph_.neighbours(start)) {
            const auto opposite = std::ranges::find_if(directions, [&](const auto& direction) {
                return squares(graph_, start, direction[0], neighbour) == 0 ||
                       adjacent(graph_, direction[0], neighbour);
            });
            if (opposite == directions.end()) {
                directions.push_back({neighbour, kNoNeighbour});
            } else if ((*opposite)[1] == kNoNeighbour) {
                (*opposite)[1] = neighbour;
            } else {
                return false;
            }
        }
        dimensions_ = static_cast<std::uint32_t>(directions.size());
        if (dimensions_ == 0 || dimensions_ > kMostDimensions) return false;
        toward_.assign(std::size_t{graph_.ranks()} * 2 * dimensions_, kNoNeighbour);
        for (std::uint32_t i = 0; i < dimensions_; ++i) {
            toward(start, 2 * i) = directions[i][0];
            toward(start, 2 * i + 1) = directions[i][1];
        }
        return true;
    }

    /// Finds the directions at `to`, which is next to `from` in direction `along`, from the known directions at `from`.
    /// The sideways neighbours complete the squares with the other neighbours of `from`. The neighbour behind is
    /// `from`, and the remaining neighbour is ahead.
    bool step(std::uint32_t from, std::uint32_t to, std::uint32_t along) {
        for (std::uint32_t i = 0; i < dimensions_; ++i) coordinate(to, i) = coordinate(from, i);
        coordinate(to, along / 2) += along % 2 == 0 ? 1 : -1;

        std::array<std::uint32_t, std::size_t{2} * kMostDimensions> left{};
        const auto end = std::ranges::remove_copy(graph_.neighbours(to), left.begin(), from).out;
        auto last = end;
        toward(to, along ^ 1U) = from;
        for (std::uint32_t direction = 0; direction < 2 * dimensions_; ++direction) {
            const std::uint32_t side = toward(from, direction);
            if (direction / 2 == along / 2 || side == kNoNeighbour) continue;
            const auto far =
                std::find_if(left.begin(), last, [&](std::uint32_t x) { return adjacent(graph_, x, side); });
            if (far == last) return false;
            toward(to, direction) = *far;
            *far = *--last;
        }
        if (last - left.begin() > 1) return false;
        if (last != left.begin()) toward(to, along) = left.front();
        return true;
    }

    std::int32_t& coordinate(std::uint32_t rank, std::uint32_t dimension) {
        return coordinates_[std::size_t{rank} * dimensions_ + dimension];
    }

    const PairGraph& graph_;
    std::uint32_t dimensions_ = 0;
    std::vector<std::uint32_t> toward_;
    std::vector<std::int32_t> coordinates_;
};

/// Shifts coordinates to start at 0; none if two ranks share a place or a place is empty.
std::optional<Grid> box_of(const Growth& growth, std::uint32_t ranks) {
    const std::uint32_t dimensions = growth.dimensions();
    std::vector<std::int32_t> least(dimensions, INT32_MAX);
    std::vector<std::int32_t> most(dimensions, INT32_MIN);
    const std::vector<std::int32_t>& grown = growth.coordinates();
    for (std::size_t i = 0; i < grown.size(); ++i) {
        least[i % dimensions] = std::min(least[i % dimensions], grown[i]);
        most[i % dimensions] = std::max(most[i % dimensions], grown[i]);
    }
    Grid grid;
    std::uint64_t places = 1;
    for (std::uint32_t i = 0; i < dimensions; ++i) {
        grid.lengths.push_back(static_cast<std::uint32_t>(most[i] - least[i] + 1));
        places *= grid.lengths.back();
        if (places > ranks) return std::nullopt;
    }
    if (places != ranks) return std::nullopt;
    std::vector<bool> taken(ranks);
    grid.coordinates.resize(grown.size());
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        std::size_t place = 0;
        for (std::uint32_t i = 0; i < dimensions; ++i) {
            const std::size_t at = std::size_t{rank} * dimensions + i;
            grid.coordinates[at] = static_cast<std::uint32_t>(grown[at] - least[i]);
            place = place * grid.lengths[i] + grid.coordinates[at];
        }
        if (taken[place]) return std::nullopt;
        taken[place] = true;
    }
    return grid;
}

/// True if the edges form lines and rings; determines the periodic dimensions.
bool check_edges(const PairGraph& graph, Grid& grid) {
    const std::size_t dimensions = grid.lengths.size();
    std::vector<std::uint64_t> steps(dimensions);
    std::vector<std::uint64_t> closing(dimensions);
    for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
        for (const std::uint32_t neighbour : graph.neighbours(rank)) {
            std::size_t differ = 0;
            std::size_t along = 0;
            std::uint32_t apart = 0;
            for (std::size_t i = 0; i < dimensions; ++i) {
                const std::uint32_t a = grid.coordinates[rank * dimensions + i];
                const std::uint32_t b = grid.coordinates[neighbour * dimensions + i];
                if (a == b) continue;
                ++differ;
                along = i;
                apart = std::max(a, b) - std::min(a, b);
            }
            if (differ != 1) return false;
            if (apart == 1) {
                ++steps[along];
            } else if (apart + 1 == grid.lengths[along]) {
                ++closing[along];
            } else {
                return false;
            }
        }
    }
    for (std::size_t i = 0; i < dimensions; ++i) {
        const std::uint64_t lines = graph.ranks() / grid.lengths[i];
        if (steps[i] != 2 * lines * (grid.lengths[i] - 1)) return false;
        if (closing[i] != 0 && closing[i] != 2 * lines) return false;
        grid.wraps.push_back(closing[i] != 0);
    }
    return true;
}

}  // namespace

std::optional<Grid> grow_grid(const PairGraph& graph) {
    if (graph.ranks() < 2) return std::nullopt;
    Growth growth(graph);
    if (!growth.grow()) return std::nullopt;
    std::optional<Grid> grid = box_of(growth, graph.ranks());
    if (!grid || !check_edges(graph, *grid)) return std::nullopt;
    return grid;
}

}  // namespace waywiser::place
