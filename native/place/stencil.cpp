#include "place/stencil.hpp"

#include <algorithm>

#include "place/grid_growth.hpp"
#include "place/pair_graph.hpp"

namespace waywiser::place {
namespace {

/// If the share of bytes between neighbours is smaller, the pattern contains a stencil but is not a stencil itself.
constexpr double kLeastExplained = 0.9;

/// Pairs for each rank of a stencil with all its diagonals in four dimensions, (3^4 - 1) / 2. Looking for stencils in
/// more dimensions would waste time on every dense pattern.
constexpr std::uint64_t kMostDiagonalPairs = 40;

/// Offsets between ranks of at most one step in each dimension, encoded in base 3; none for other offsets.
class Offsets {
public:
    explicit Offsets(const Grid& grid) : grid_(grid) {}

    [[nodiscard]] std::size_t count() const {
        std::size_t count = 1;
        for (std::size_t i = 0; i < grid_.lengths.size(); ++i) count *= 3;
        return count;
    }

    [[nodiscard]] std::optional<std::size_t> between(std::uint32_t a, std::uint32_t b) const {
        const std::size_t dimensions = grid_.lengths.size();
        std::size_t offset = 0;
        for (std::size_t i = 0; i < dimensions; ++i) {
            const std::uint32_t from = grid_.coordinates[a * dimensions + i];
            const std::uint32_t to = grid_.coordinates[b * dimensions + i];
            const std::uint32_t length = grid_.lengths[i];
            const std::uint32_t up = (to + length - from) % length;
            if (up > 1 && up + 1 < length) return std::nullopt;
            if (!grid_.wraps[i] && (from > to ? from - to : to - from) > 1) return std::nullopt;
            const bool upward = grid_.wraps[i] ? up == 1 : to > from;
            offset = 3 * offset + (from == to ? 0 : upward ? 1 : 2);
        }
        return offset;
    }

    /// Number of ranks that have a partner at the offset.
    [[nodiscard]] std::uint64_t ranks_with(std::size_t offset) const {
        std::uint64_t ranks = 1;
        for (std::size_t i = grid_.lengths.size(); i-- > 0; offset /= 3) {
            ranks *= grid_.lengths[i] - (offset % 3 != 0 && !grid_.wraps[i] ? 1 : 0);
        }
        return ranks;
    }

private:
    const Grid& grid_;
};

/// The stencil of a grid, with the pairs that it explains.
std::optional<Stencil> explain(const PairGraph& graph, Grid grid) {
    const Offsets offsets(grid);
    std::vector<std::uint64_t> pairs(offsets.count());
    std::vector<double> bytes(offsets.count());
    double all = 0;
    double explained = 0;
    bool exact = true;
    for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) {
        for (std::uint64_t place = graph.first[rank]; place < graph.first[rank + 1]; ++place) {
            all += graph.bytes[place];
            const auto offset = offsets.between(rank, graph.neighbour[place]);
            if (offset) {
                explained += graph.bytes[place];
                ++pairs[*offset];
                bytes[*offset] += graph.bytes[place];
            } else {
                exact = false;
            }
        }
    }
    if (explained < kLeastExplained * all) return std::nullopt;
    for (std::size_t offset = 0; offset < pairs.size(); ++offset) {
        exact = exact && (pairs[offset] == 0 || pairs[offset] == offsets.ranks_with(offset));
    }
    Stencil stencil;
    stencil.explained = explained / all;
    stencil.exact = exact;
    std::size_t unit = offsets.count();
    for (std::size_t i = 0; i < grid.lengths.size(); ++i) {
        unit /= 3;
        double across = 0;
        for (std::size_t offset = 0; offset < bytes.size(); ++offset) {
            if (offset / unit % 3 != 0) across += bytes[offset];
        }
        const auto faces = static_cast<double>(pairs[unit] + pairs[2 * unit]);
        stencil.dimensions.push_back({.length = grid.lengths[i], .wraps = grid.wraps[i], .bytes = across / faces / 2});
    }
    stencil.coordinates = std::move(grid.coordinates);
    return stencil;
}

}  // namespace

std::optional<Stencil> find_stencil(const Pattern& pattern) {
    const PairGraph graph = pair_graph(pattern);
    const std::uint64_t ranks = pattern.ranks();
    // Diagonals come last, since distinguishing them takes longest.
    for (const bool diagonals : {false, true}) {
        for (const Band& band : weight_bands(graph)) {
            if (band.pairs + 1 < ranks || band.pairs > (diagonals ? kMostDiagonalPairs : kMostDimensions) * ranks)
                continue;
            const PairGraph alike = filtered(graph, [&](std::uint32_t, std::uint64_t place) {
                return graph.bytes[place] >= band.least && graph.bytes[place] < band.below;
            });
            std::optional<Grid> grid = grow_grid(diagonals ? without_diagonals(alike) : alike);
            if (!grid) continue;
            if (auto stencil = explain(graph, std::move(*grid))) return stencil;
        }
    }
    return std::nullopt;
}

}  // namespace waywiser::place
