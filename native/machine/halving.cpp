#include "machine/halving.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace waywiser::machine {
namespace {

std::uint32_t smallest_divisor(std::uint32_t length) {
    for (std::uint32_t divisor = 2; divisor * divisor <= length; ++divisor) {
        if (length % divisor == 0) return divisor;
    }
    return length;
}

}  // namespace

std::vector<Grouping> halvings(std::span<const std::uint32_t> lengths, std::uint32_t nodes_per_vertex) {
    const std::uint32_t vertices = std::accumulate(lengths.begin(), lengths.end(), 1U, std::multiplies<>());
    const std::uint32_t per_vertex = std::max(nodes_per_vertex, 1U);
    std::vector<std::uint32_t> sides(lengths.begin(), lengths.end());
    std::vector<Grouping> all;
    for (;;) {
        auto longest = sides.begin();
        for (auto side = sides.begin(); side != sides.end(); ++side) {
            if (*side >= *longest) longest = side;
        }
        *longest /= smallest_divisor(*longest);
        if (std::accumulate(sides.begin(), sides.end(), 1U, std::multiplies<>()) == 1) return all;

        Grouping grouping{.groups = 1, .group_of_node = std::vector<std::uint32_t>(vertices * per_vertex)};
        std::uint32_t stride = 1;
        for (std::size_t d = 0; d < sides.size(); stride *= lengths[d++]) {
            for (std::uint32_t node = 0; node < vertices * per_vertex; ++node) {
                const std::uint32_t at = node / per_vertex / stride % lengths[d];
                grouping.group_of_node[node] += at / sides[d] * grouping.groups;
            }
            grouping.groups *= lengths[d] / sides[d];
        }
        all.push_back(std::move(grouping));
    }
}

}  // namespace waywiser::machine
