#include "machine/groups.hpp"

#include <functional>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace waywiser::machine {
namespace {

std::uint32_t smallest_divisor(std::uint32_t length) {
    for (std::uint32_t divisor = 2; divisor * divisor <= length; ++divisor) {
        if (length % divisor == 0) return divisor;
    }
    return length;
}

}  // namespace

void append_narrower(std::vector<Grouping>& all, std::vector<std::uint32_t> group_of_node) {
    std::unordered_map<std::uint32_t, std::uint32_t> numbers;
    for (std::uint32_t& group : group_of_node) {
        group = numbers.try_emplace(group, static_cast<std::uint32_t>(numbers.size())).first->second;
    }
    const auto groups = static_cast<std::uint32_t>(numbers.size());
    const std::uint32_t wider = all.empty() ? 1 : all.back().groups;
    if (groups > wider && groups < group_of_node.size()) {
        all.push_back({.groups = groups, .group_of_node = std::move(group_of_node)});
    }
}

void append_blocks(std::vector<Grouping>& all, std::uint32_t nodes, std::uint32_t size) {
    std::vector<std::uint32_t> group_of_node(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) group_of_node[node] = node / size;
    append_narrower(all, std::move(group_of_node));
}

std::vector<Grouping> halvings(std::span<const std::uint32_t> lengths, std::uint32_t nodes_per_vertex) {
    const std::size_t vertices = std::accumulate(lengths.begin(), lengths.end(), 1U, std::multiplies<>());
    std::vector<std::uint32_t> sides(lengths.begin(), lengths.end());
    std::vector<Grouping> all;
    for (;;) {
        auto longest = sides.begin();
        for (auto side = sides.begin(); side != sides.end(); ++side) {
            if (*side >= *longest) longest = side;
        }
        *longest /= smallest_divisor(*longest);
        if (std::accumulate(sides.begin(), sides.end(), 1U, std::multiplies<>()) == 1) return all;

        std::vector<std::uint32_t> group_of_node(vertices * nodes_per_vertex, 0);
        std::uint32_t groups = 1;
        std::uint32_t stride = 1;
        for (std::size_t d = 0; d < sides.size(); stride *= lengths[d++]) {
            for (std::uint32_t node = 0; node < group_of_node.size(); ++node) {
                group_of_node[node] += node / nodes_per_vertex / stride % lengths[d] / sides[d] * groups;
            }
            groups *= lengths[d] / sides[d];
        }
        append_narrower(all, std::move(group_of_node));
    }
}

}  // namespace waywiser::machine
