#include "workloads/lattice/layout.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace waywiser::lattice {
namespace {

constexpr Index half_spinor_bytes = 12 * sizeof(double);

bool divides(const Index4& extents, const Index4& ranks) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
        if (extents[axis] % (2 * ranks[axis]) != 0) return false;
    }
    return true;
}

/// Returns all grids that give each rank even extents.
std::vector<Index4> grids_of(const Index4& extents, Index ranks) {
    std::vector<Index4> grids;
    for (Index p1 = 1; p1 <= ranks; ++p1) {
        if (ranks % p1 != 0) continue;
        for (Index p2 = 1; p2 <= ranks / p1; ++p2) {
            if (ranks / p1 % p2 != 0) continue;
            for (Index p3 = 1; p3 <= ranks / p1 / p2; ++p3) {
                const Index4 grid{p1, p2, p3, ranks / p1 / p2 / p3};
                if (product(grid) == ranks && divides(extents, grid)) grids.push_back(grid);
            }
        }
    }
    return grids;
}

bool is_requested(const Index4& grid, const Index4& requested) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
        if (requested[axis] != 0 && requested[axis] != grid[axis]) return false;
    }
    return true;
}

Index sent(const Index4& extents, const Index4& grid) {
    const Torus torus(extents, grid, 0);
    Index bytes = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) {
        if (torus.is_cut(axis)) bytes += message_bytes(torus, axis);
    }
    return bytes;
}

std::string names(const std::vector<Index4>& grids) {
    constexpr std::size_t most = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(grids.size(), most); ++i) {
        text += (i == 0 ? "" : ", ") + product_text(grids[i]);
    }
    return grids.size() > most ? text + ", and " + std::to_string(grids.size() - most) + " more" : text;
}

std::string nearest_counts(const Index4& extents, Index ranks) {
    const Index most = product(extents) / 16;
    Index below = std::min(ranks, most);
    while (grids_of(extents, below).empty()) --below;
    Index above = ranks;
    while (above <= most && grids_of(extents, above).empty()) ++above;
    return std::to_string(below) + (above <= most ? " and " + std::to_string(above) : "");
}

}  // namespace

std::string product_text(const Index4& n) {
    return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]) + " x " +
           std::to_string(n[3]);
}

Index product(const Index4& n) { return n[0] * n[1] * n[2] * n[3]; }

Torus::Torus(const Index4& extents, const Index4& ranks, Index rank) : extents_(extents), ranks_(ranks), local_() {
    for (std::size_t axis = 0; axis < axes; ++axis) {
        local_[axis] = extents[axis] / ranks[axis];
        place_[axis] = rank % ranks[axis];
        rank /= ranks[axis];
    }
}

Index Torus::neighbour(int direction) const {
    const auto axis = static_cast<std::size_t>(direction) / 2;
    Index4 target = place_;
    target[axis] = (target[axis] + (direction % 2 == 0 ? 1 : ranks_[axis] - 1)) % ranks_[axis];
    return target[0] + ranks_[0] * (target[1] + ranks_[1] * (target[2] + ranks_[2] * target[3]));
}

Index4 Torus::global(const Index4& site) const {
    Index4 there{};
    for (std::size_t axis = 0; axis < axes; ++axis) there[axis] = place_[axis] * local_[axis] + site[axis];
    return there;
}

Index Torus::number(const Index4& site) const {
    return site[0] + extents_[0] * (site[1] + extents_[1] * (site[2] + extents_[2] * site[3]));
}

Index message_bytes(const Torus& torus, std::size_t axis) {
    return half_spinor_bytes * product(torus.local()) / (2 * torus.local()[axis]);
}

Index4 rank_grid(const Index4& extents, Index ranks, const Index4& requested) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
        require(extents[axis] % 2 == 0, "axis " + std::string(1, "xyzt"[axis]) + " has " +
                                            std::to_string(extents[axis]) +
                                            " sites, and even and odd ones need an even number");
    }
    const std::vector<Index4> grids = grids_of(extents, ranks);
    require(!grids.empty(), std::to_string(ranks) + " rank(s) cannot share " + product_text(extents) +
                                " sites with even extents on each; the nearest counts that can: " +
                                (grids.empty() ? nearest_counts(extents, ranks) : ""));
    Index4 best{};
    Index least = std::numeric_limits<Index>::max();
    for (const Index4& grid : grids) {
        if (!is_requested(grid, requested) || sent(extents, grid) >= least) continue;
        best = grid;
        least = sent(extents, grid);
    }
    require(best[0] != 0, "a rank grid of " + product_text(requested) + " (0: free) does not cut " +
                              product_text(extents) + " sites among " + std::to_string(ranks) +
                              " rank(s) with even extents on each; those that do: " + names(grids));
    return best;
}

}  // namespace waywiser::lattice
