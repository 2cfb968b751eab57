#include "extrapolate/boxes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace waywiser::extrapolate {
namespace {

/// Places whose box passes through the cube with the round. Those that pass in the other direction are at a face in the
/// same rounds, with -1 - fixed, and left out.
std::vector<BoxPlace> candidates() {
    constexpr std::int64_t kMostFixed = 2;  // a sweep begins at its first or last box, or receives for the next
    std::vector<BoxPlace> all;
    for (const std::int64_t x : {0, 1, -1}) {
        for (const std::int64_t y : {0, 1, -1}) {
            for (std::int64_t fixed = -kMostFixed; fixed <= kMostFixed; ++fixed) {
                all.push_back({.per_x = x, .per_y = y, .per_round = 1, .fixed = fixed});
            }
        }
    }
    return all;
}

bool is_right(const Box& box, std::span<const Seen> seen) {
    std::map<std::pair<std::int64_t, std::size_t>, std::int64_t> sizes;  // by ranks and faces
    return std::ranges::all_of(seen, [&](const Seen& observation) {
        return sizes.try_emplace({observation.where.ranks, box.faces(observation.where)}, observation.value)
                   .first->second == observation.value;
    });
}

}  // namespace

bool BoxPlace::is_at_face(const Where& where) const {
    const std::int64_t side = where.grid.sizes[0];
    const std::int64_t at =
        (per_x * (where.rank % side) + per_y * (where.rank / side) + per_round * where.round + fixed) % side;
    return at == 0 || at == -1 || at == side - 1;  // -1 is the last place, too
}

std::vector<Box> boxes_for(std::span<const Seen> seen) {
    const auto is_square = [](const Seen& observation) {
        const Place& sizes = observation.where.grid.sizes;
        return sizes[0] == sizes[1] && sizes[2] == 1;
    };
    std::vector<Box> boxes;
    if (!std::ranges::all_of(seen, is_square)) return boxes;
    const std::vector<BoxPlace> places = candidates();
    for (auto first = places.begin(); first != places.end(); ++first) {
        for (auto second = first; second != places.end(); ++second) {
            const Box box{.across = {*first, *second}};
            if (is_right(box, seen)) boxes.push_back(box);
        }
    }
    return boxes;
}

}  // namespace waywiser::extrapolate
