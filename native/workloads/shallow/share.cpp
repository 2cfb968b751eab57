#include "workloads/shallow/share.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace waywiser::shallow {
namespace {

template <class Body>
void for_each_side(const Topology::Cell& cell, Body body) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(cell.sides); ++k) body(k);
}

}  // namespace

Shares::Shares(const Topology& topology, const Partition& partition, Index ranks)
    : topology_(topology),
      partition_(partition),
      by_rank_(partition.size()),
      first_of_rank_(static_cast<std::size_t>(ranks) + 1),
      seen_cells_(at(topology.cells())),
      seen_edges_(at(topology.edges())) {
    std::iota(by_rank_.begin(), by_rank_.end(), 0);
    std::ranges::stable_sort(by_rank_, {}, [&](Number cell) { return owner(cell); });
    for (const int rank : partition) ++first_of_rank_[at(rank) + 1];
    std::partial_sum(first_of_rank_.begin(), first_of_rank_.end(), first_of_rank_.begin());
}

int Shares::owner_of_edge(Number edge) const {
    const auto& [from, to] = topology_.edge(edge).cells;
    return std::min(owner(from), owner(to));
}

std::span<const Number> Shares::cells(int rank) const {
    const Index first = first_of_rank_[at(rank)];
    return std::span(by_rank_).subspan(static_cast<std::size_t>(first),
                                       static_cast<std::size_t>(first_of_rank_[at(rank) + 1] - first));
}

bool Shares::is_new(std::vector<Index>& seen, Number number) const {
    return std::exchange(seen[at(number)], round_) != round_;
}

std::vector<Number> Shares::layer_around(std::span<const Number> inner) {
    std::vector<Number> layer;
    for (const Number number : inner) {
        const Topology::Cell& cell = topology_.cell(number);
        for_each_side(cell, [&](std::size_t k) {
            if (is_new(seen_cells_, cell.neighbours[k])) layer.push_back(cell.neighbours[k]);
        });
    }
    return layer;
}

/// Adds other ranks' edges of the triangles that touch a cell: the cell's own edges, and the opposite edges.
void Shares::add_edges(Number number, int rank, Share& share) {
    const Topology::Cell& cell = topology_.cell(number);
    for_each_side(cell, [&](std::size_t k) {
        for (const Number edge : topology_.vertex(cell.vertices[k]).edges) {
            const int from = owner_of_edge(edge);
            if (from != rank && is_new(seen_edges_, edge)) share.received[from].edges.push_back(edge);
        }
    });
}

Share Shares::of(int rank) {
    forget();
    Share share;
    const std::span<const Number> own = cells(rank);
    share.own_cells.assign(own.begin(), own.end());
    for (const Number cell : own) (void)is_new(seen_cells_, cell);
    const std::vector<Number> first = layer_around(own);
    const std::vector<Number> second = layer_around(first);
    share.first_layer = static_cast<Index>(first.size());
    for (const std::vector<Number>* layer : {&first, &second}) {
        for (const Number cell : *layer) share.received[owner(cell)].cells.push_back(cell);
    }
    for (const Number number : own) {
        const Topology::Cell& cell = topology_.cell(number);
        for_each_side(cell, [&](std::size_t k) {
            if (owner_of_edge(cell.edges[k]) == rank && is_new(seen_edges_, cell.edges[k])) {
                share.own_edges.push_back(cell.edges[k]);
            }
        });
        add_edges(number, rank, share);
    }
    for (const Number cell : first) add_edges(cell, rank, share);
    for (auto& [from, packet] : share.received) {
        std::ranges::sort(packet.cells);
        std::ranges::sort(packet.edges);
    }
    return share;
}

/// A rank that needs data of this rank is at most two cells away. This rank therefore needs data of that rank, too, and
/// `share.received` lists all receivers.
std::map<int, Packet> Shares::sent(int rank, const Share& share) {
    std::map<int, Packet> sent;
    for (const auto& [peer, ignored] : share.received) {
        Share theirs = of(peer);
        const auto entry = theirs.received.find(rank);
        if (entry != theirs.received.end()) sent.emplace(peer, std::move(entry->second));
    }
    return sent;
}

}  // namespace waywiser::shallow
