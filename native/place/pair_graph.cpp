#include "place/pair_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>

namespace waywiser::place {

PairGraph pair_graph(const Pattern& pattern) {
    const std::uint32_t ranks = pattern.ranks();
    PairGraph graph;
    graph.first.reserve(std::size_t{ranks} + 1);
    // Partners are mutual and sorted, so that ranks, visited in order, find themselves next in their partners' lists.
    std::vector<std::uint32_t> next(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (const Partner& partner : pattern.partners(rank)) {
            const std::uint64_t received = pattern.partners(partner.rank)[next[partner.rank]++].bytes;
            if (partner.bytes + received == 0) continue;
            graph.neighbour.push_back(partner.rank);
            graph.bytes.push_back(static_cast<double>(partner.bytes) + static_cast<double>(received));
        }
        graph.first.push_back(graph.neighbour.size());
    }
    return graph;
}

namespace {

constexpr int kBinsPerOctave = 16;
constexpr std::size_t kBins = std::size_t{66} * kBinsPerOctave;
constexpr std::size_t kMostGaps = 8;

std::size_t bin_of(double bytes) {
    int exponent = 0;
    const double mantissa = std::frexp(bytes, &exponent);  // in [0.5, 1)
    const auto within = static_cast<std::size_t>((2 * mantissa - 1) * kBinsPerOctave);
    return std::min(kBins - 1, static_cast<std::size_t>(std::max(exponent, 0)) * kBinsPerOctave + within);
}

double least_of(std::size_t bin) {
    return std::ldexp(1.0 + static_cast<double>(bin % kBinsPerOctave) / kBinsPerOctave,
                      static_cast<int>(bin / kBinsPerOctave) - 1);
}

}  // namespace

std::vector<Band> weight_bands(const PairGraph& graph) {
    struct Bin {
        std::uint64_t pairs = 0;
        double bytes = 0;
    };
    std::array<Bin, kBins> bins{};
    for (const double bytes : graph.bytes) {
        Bin& bin = bins[bin_of(bytes)];
        ++bin.pairs;
        bin.bytes += bytes;
    }
    struct Gap {
        std::size_t end;  // first bin after the cluster
        std::size_t width;
    };
    std::vector<Gap> gaps;
    std::size_t last = kBins;
    std::size_t lowest = 0;
    for (std::size_t bin = 0; bin < kBins; ++bin) {
        if (bins[bin].pairs == 0) continue;
        if (last == kBins) lowest = bin;
        if (last != kBins && bin > last + 1) gaps.push_back({bin, bin - last});
        last = bin;
    }
    std::vector<Band> bands;
    if (last == kBins) return bands;
    std::ranges::stable_sort(gaps, std::greater{}, &Gap::width);
    gaps.resize(std::min(gaps.size(), kMostGaps));
    std::vector<std::size_t> cuts{lowest, last + 1};
    for (const Gap& gap : gaps) cuts.push_back(gap.end);
    std::ranges::sort(cuts);
    for (std::size_t low = 0; low + 1 < cuts.size(); ++low) {
        Band band{.least = least_of(cuts[low])};
        for (std::size_t high = low + 1; high < cuts.size(); ++high) {
            for (std::size_t bin = cuts[high - 1]; bin < cuts[high]; ++bin) {
                band.pairs += bins[bin].pairs;
                band.bytes += bins[bin].bytes;
            }
            band.below = least_of(cuts[high]);
            bands.push_back(band);
            bands.back().pairs /= 2;
        }
    }
    std::ranges::stable_sort(bands, std::greater{}, &Band::bytes);
    return bands;
}

namespace {

using Ranks = std::span<const std::uint32_t>;

/// Common neighbours of both.
void intersect(Ranks a, Ranks b, std::vector<std::uint32_t>& common) {
    common.clear();
    std::ranges::set_intersection(a, b, std::back_inserter(common));
}

/// True if x and y, whose closed neighbourhoods share less with each other than each shares with a third, are diagonal
/// neighbours (R. Hammack, W. Imrich, "On Cartesian skeletons of graphs", Ars Mathematica Contemporanea 2, 2009).
/// `common` are the neighbours of both.
bool dispensable(const PairGraph& graph, std::uint32_t x, std::uint32_t y, Ranks common) {
    std::vector<std::uint32_t> with_x;
    std::vector<std::uint32_t> with_y;
    return std::ranges::any_of(common, [&](std::uint32_t z) {
        const Ranks of_z = graph.neighbours(z);
        for (const std::uint32_t rank : common) {
            if (rank != z && !std::ranges::binary_search(of_z, rank)) return false;
        }
        intersect(graph.neighbours(x), of_z, with_x);
        intersect(graph.neighbours(y), of_z, with_y);
        return with_x.size() > common.size() && with_y.size() > common.size();
    });
}

}  // namespace

PairGraph without_diagonals(const PairGraph& graph) {
    std::size_t most = 0;
    for (std::uint32_t rank = 0; rank < graph.ranks(); ++rank) most = std::max(most, graph.neighbours(rank).size());
    std::vector<std::uint32_t> common;
    // Let r be the number of ranks within one step along a dimension: three, or two at an end. A rank's closed
    // neighbourhood N has the product of its r. For neighbours along one dimension, the common share |N and N'| squared
    // over |N| |N'| is 4/9, or 4/6 at an end; for diagonal neighbours, it is a product of such shares. Near two ends
    // that can also be 4/9: then one neighbourhood is 9/4 of the other, or a third rank decides.
    return filtered(graph, [&](std::uint32_t rank, std::uint64_t place) {
        const std::uint32_t neighbour = graph.neighbour[place];
        const Ranks mine = graph.neighbours(rank);
        const Ranks its = graph.neighbours(neighbour);
        intersect(mine, its, common);
        const std::uint64_t shared = common.size() + 2;
        const std::uint64_t small = std::min(mine.size(), its.size()) + 1;
        const std::uint64_t large = std::max(mine.size(), its.size()) + 1;
        if (9 * shared * shared < 4 * small * large || large > 2 * small) return false;
        const bool at_end = mine.size() < most || its.size() < most;
        return 9 * shared * shared > 4 * small * large || !at_end || !dispensable(graph, rank, neighbour, common);
    });
}

}  // namespace waywiser::place
