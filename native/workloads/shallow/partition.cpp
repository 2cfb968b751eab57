#include "workloads/shallow/partition.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <numeric>

namespace waywiser::shallow {
namespace {

constexpr std::string_view of_file = "metis:";

class Bisection {
public:
    explicit Bisection(std::span<const Vector3> centres) : centres_(centres), owners_(centres.size()) {}

    /// Divides `cells` among `ranks` ranks, numbered from `first`.
    void cut(std::span<Number> cells, int first, Index ranks) {
        if (ranks == 1) {
            for (const Number cell : cells) owners_[static_cast<std::size_t>(cell)] = first;
            return;
        }
        const std::size_t axis = longest(cells);
        const Index left = ranks / 2;
        const auto share = static_cast<std::size_t>(static_cast<Index>(cells.size()) * left / ranks);
        std::ranges::nth_element(cells, cells.begin() + static_cast<std::ptrdiff_t>(share), [&](Number a, Number b) {
            return std::pair(centre(a)[axis], a) < std::pair(centre(b)[axis], b);
        });
        cut(cells.first(share), first, left);
        cut(cells.subspan(share), first + static_cast<int>(left), ranks - left);
    }

    [[nodiscard]] Partition owners() && { return std::move(owners_); }

private:
    [[nodiscard]] const Vector3& centre(Number cell) const { return centres_[static_cast<std::size_t>(cell)]; }

    [[nodiscard]] std::size_t longest(std::span<const Number> cells) const {
        Vector3 extents{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto [low, high] = std::ranges::minmax(cells, {}, [&](Number cell) { return centre(cell)[axis]; });
            extents[axis] = centre(high)[axis] - centre(low)[axis];
        }
        return static_cast<std::size_t>(std::ranges::max_element(extents) - extents.begin());
    }

    std::span<const Vector3> centres_;
    Partition owners_;
};

int part_of(const std::string& line, Index number, const std::string& path, Index ranks) {
    int part = -1;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), part);
    require(error == std::errc{} && end == line.data() + line.size() && part >= 0 && part < ranks,
            path + ": line " + std::to_string(number) + " has '" + line + "', not a part from 0 to " +
                std::to_string(ranks - 1));
    return part;
}

}  // namespace

Partition by_rhombi(Index grid, Index ranks) {
    Index k = 0;
    while (k < grid && rhombi << (2 * k) < ranks) ++k;
    const Index fit = rhombi << (2 * k);
    require(fit == ranks, std::to_string(ranks) + " rank(s) are not 10 x 4^k with k from 0 to " + std::to_string(grid) +
                              ", which --partition rhombi requires; the nearest: " +
                              (k > 0 && fit > ranks ? std::to_string(fit / 4) + " and " : "") + std::to_string(fit));
    const Index block = Index{1} << (grid - k);
    Partition owners;
    for (Number cell = 0; cell < cells_of(grid); ++cell) {
        const Seat seat = seat_of(grid, cell);
        const Index rank = ((seat.rhombus << k) + seat.row / block) * (Index{1} << k) + seat.column / block;
        owners.push_back(static_cast<int>(std::clamp(rank, Index{0}, ranks - 1)));
    }
    return owners;
}

Partition by_bisection(std::span<const Vector3> centres, Index ranks) {
    std::vector<Number> cells(centres.size());
    std::iota(cells.begin(), cells.end(), 0);
    Bisection bisection(centres);
    bisection.cut(cells, 0, ranks);
    return std::move(bisection).owners();
}

Partition from_file(const std::string& path, Index cells, Index ranks) {
    std::ifstream file(path);
    require(file.is_open(), "cannot read '" + path + "': give a file with the part of each cell, one a line");
    Partition owners;
    std::vector<bool> has_cells(static_cast<std::size_t>(ranks));
    for (std::string line; std::getline(file, line);) {
        while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
        if (line.empty()) continue;
        owners.push_back(part_of(line, static_cast<Index>(owners.size()) + 1, path, ranks));
        has_cells[static_cast<std::size_t>(owners.back())] = true;
    }
    require(static_cast<Index>(owners.size()) == cells, path + ": a partition of " + std::to_string(owners.size()) +
                                                            " cells, not of this mesh, which has " +
                                                            std::to_string(cells));
    const auto empty = std::ranges::find(has_cells, false) - has_cells.begin();
    require(empty == ranks, path + ": part " + std::to_string(empty) + " has no cells; give a partition for " +
                                std::to_string(ranks) + " rank(s)");
    return owners;
}

Partition make_partition(const std::string& method, Index grid, Index ranks,
                         const std::function<std::vector<Vector3>()>& centres) {
    require(ranks <= cells_of(grid), std::to_string(ranks) + " rank(s) cannot share " + std::to_string(cells_of(grid)) +
                                         " cells; use a finer --grid");
    if (method.starts_with(of_file)) return from_file(method.substr(of_file.size()), cells_of(grid), ranks);
    return method == "rhombi" ? by_rhombi(grid, ranks) : by_bisection(centres(), ranks);
}

void write_graph(const std::string& path, const Topology& topology) {
    std::ofstream file(path);
    file << topology.cells() << ' ' << topology.edges() << '\n';
    for (Number number = 0; number < topology.cells(); ++number) {
        const Topology::Cell& cell = topology.cell(number);
        for (std::size_t k = 0; k < static_cast<std::size_t>(cell.sides); ++k) {
            file << (k > 0 ? " " : "") << cell.neighbours[k] + 1;
        }
        file << '\n';
    }
    file.close();
    require(!file.fail(), "cannot write '" + path + "': give a file in a directory where you may write");
}

}  // namespace waywiser::shallow
