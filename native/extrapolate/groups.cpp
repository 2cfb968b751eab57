#include "extrapolate/groups.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "trace/records/strides.hpp"

namespace waywiser::extrapolate {
namespace {

using Division = Membership::Division;

constexpr std::array kAlongFirst = {true, false, false};
constexpr std::array kAlongSecond = {false, true, false};

std::optional<Grid> divided(std::int64_t ranks, std::int64_t first) {
    if (first < 1 || ranks % first != 0) return {};
    return Grid{.sizes = {first, ranks / first, 1}};
}

Grid divided_or_refused(const Membership& rule, const Where& where) {
    const auto grid = rule.grid(where);
    require(grid.has_value(),
            "ranks: " + std::to_string(where.ranks) + " cannot be divided into " + rule.text() + "; give a multiple");
    return grid.value_or(Grid{});
}

/// Rules that may hold by the size of a group, and by the distance of its members.
std::vector<Membership> candidates(const SeenGroup& seen, std::size_t dimensions, bool with_nodes) {
    const std::int64_t ranks = seen.where.ranks;
    const auto size = static_cast<std::int64_t>(seen.members.size());
    std::vector<Membership> all = {{.division = Division::line},
                                   {.division = Division::line, .along = {false, false, false}}};
    if (size > 1 && size < ranks) {
        const std::int64_t stride = seen.members[1] - seen.members[0];
        all.push_back({.division = Division::blocks_of, .amount = size, .along = kAlongFirst});
        all.push_back({.division = Division::blocks_of, .amount = stride, .along = kAlongSecond});
        all.push_back({.division = Division::blocks, .amount = ranks / size, .along = kAlongFirst});
        all.push_back({.division = Division::blocks, .amount = size, .along = kAlongSecond});
    }
    const unsigned sets = dimensions > 1 ? (1U << dimensions) - 1 : 0;  // The set of all dimensions has all ranks.
    for (unsigned set = 1; set < sets; ++set) {
        Membership rule{.division = Division::dimensions};
        for (std::size_t i = 0; i < dimensions; ++i) rule.along.at(i) = (set >> i & 1U) != 0;
        all.push_back(rule);
    }
    if (with_nodes) {
        all.push_back({.division = Division::nodes, .along = kAlongFirst});
        all.push_back({.division = Division::nodes, .along = kAlongSecond});
    }
    return all;
}

}  // namespace

std::optional<Grid> Membership::grid(const Where& where) const {
    switch (division) {
        case Division::line: return Grid{.sizes = {where.ranks, 1, 1}};
        case Division::blocks_of: return divided(where.ranks, amount);
        case Division::blocks:
            return amount > 0 && where.ranks % amount == 0 ? divided(where.ranks, where.ranks / amount) : std::nullopt;
        case Division::nodes: return divided(where.ranks, std::min(where.per_node, where.ranks));
        case Division::dimensions: return where.grid;
    }
    return {};
}

std::size_t Membership::dimensions(std::size_t dimensions) const {
    if (is_world()) return dimensions;
    if (division != Division::dimensions) return 1;
    return static_cast<std::size_t>(std::ranges::count(along, true));
}

Where Membership::within(const Where& where) const {
    if (is_world()) return where;
    const Grid grid = divided_or_refused(*this, where);
    const Place at = grid.place(where.rank);
    Where inside{.round = where.round, .grid = {}};
    std::size_t next = 0;
    for (std::size_t i = 0; i < kMostDimensions; ++i) {
        if (!along.at(i)) continue;
        inside.rank += at.at(i) * inside.ranks;
        inside.ranks *= grid.sizes.at(i);
        inside.grid.sizes.at(next++) = grid.sizes.at(i);
    }
    inside.group = inside.ranks;
    return inside;
}

std::int64_t Membership::first(const Where& where) const {
    const Grid grid = divided_or_refused(*this, where);
    Place at = grid.place(where.rank);
    for (std::size_t i = 0; i < kMostDimensions; ++i) {
        if (along.at(i)) at.at(i) = 0;
    }
    return grid.rank(at);
}

std::vector<trace::Stride> Membership::members(const Where& where) const {
    const Grid grid = divided_or_refused(*this, where);
    std::vector<trace::Stride> members = {{.first = first(where), .stride = 1, .count = 1}};
    std::int64_t distance = 1;
    for (std::size_t i = 0; i < kMostDimensions; ++i) {
        const std::int64_t size = along.at(i) ? grid.sizes.at(i) : 1;
        const bool goes_on =
            members.size() == 1 && (members[0].count == 1 || distance == members[0].stride * members[0].count);
        if (goes_on && size > 1) {
            members[0] = {.first = members[0].first,
                          .stride = members[0].count == 1 ? distance : members[0].stride,
                          .count = members[0].count * size};
        } else {
            const std::vector<trace::Stride> once = members;
            for (std::int64_t turn = 1; turn < size; ++turn) {
                for (trace::Stride stride : once) {
                    stride.first += turn * distance;
                    members.push_back(stride);
                }
            }
        }
        distance *= grid.sizes.at(i);
    }
    return members;
}

std::string Membership::text() const {
    const bool blocks = along == kAlongFirst;
    const std::string number = std::to_string(amount);
    switch (division) {
        case Division::line: return is_world() ? "all ranks" : "single ranks";
        case Division::blocks_of: return blocks ? "blocks of " + number + " ranks" : "every " + number + "th rank";
        case Division::blocks: return blocks ? number + " blocks of ranks" : number + " ranks at equal distances";
        case Division::nodes: return blocks ? "the ranks of each node" : "ranks with the same place on their nodes";
        case Division::dimensions: break;
    }
    constexpr std::array kNames = {"x", "y", "z"};
    std::string text = "the ranks along";
    for (std::size_t i = 0; i < kMostDimensions; ++i) {
        if (along.at(i)) text += std::string(" ") + kNames.at(i);
    }
    return text + " of the grid";
}

bool gives(const Membership& rule, const SeenGroup& seen) {
    if (!rule.grid(seen.where)) return false;
    const std::int64_t size = rule.within(seen.where).ranks;
    if (!rule.is_world() && size != static_cast<std::int64_t>(seen.members.size())) return false;
    const std::vector<trace::Stride> members = rule.members(seen.where);
    std::size_t place = 0;
    bool right = true;
    trace::each_member(members, [&](std::int64_t rank) {
        right = right && place < seen.members.size() && seen.members[place] == rank;
        ++place;
    });
    return right && place == seen.members.size();
}

std::vector<Membership> memberships_for(std::span<const SeenGroup> seen, std::size_t dimensions, bool with_nodes) {
    std::vector<Membership> memberships;
    const auto largest = std::ranges::max_element(seen, {}, [](const SeenGroup& group) { return group.where.ranks; });
    for (const Membership& rule : candidates(*largest, dimensions, with_nodes)) {
        const std::int64_t* all = nullptr;  // the members that all ranks of a run share, which are compared once
        const bool fits = std::ranges::all_of(seen, [&](const SeenGroup& group) {
            const bool again = rule.is_world() && group.members.data() == all;
            all = group.members.data();
            return again || gives(rule, group);
        });
        if (fits) memberships.push_back(rule);
    }
    return memberships;
}

}  // namespace waywiser::extrapolate
