/// The ranks of a communicator as a rule that holds for any rank and any number of ranks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "extrapolate/rules.hpp"
#include "trace/records/profile.hpp"

namespace waywiser::extrapolate {

/// All ranks in a grid of its own; a group has the ranks along some of its dimensions, in the order of the ranks.
struct Membership {
    /// The grid in which the rule divides all ranks, its first dimension first.
    enum class Division : std::uint8_t {
        line,        ///< a single dimension
        blocks_of,   ///< blocks of `amount` ranks, and the blocks
        blocks,      ///< ranks / `amount` in a block, and `amount` blocks
        nodes,       ///< the ranks of a node, and the nodes
        dimensions,  ///< the dimensions of the process grid
    };

    Division division = Division::line;
    std::int64_t amount = 0;
    std::array<bool, kMostDimensions> along{true, false, false};

    /// \return none if the ranks cannot be divided so
    [[nodiscard]] std::optional<Grid> grid(const Where& where) const;

    [[nodiscard]] bool is_world() const { return division == Division::line && along[0]; }
    [[nodiscard]] bool is_self() const { return division == Division::line && !along[0]; }
    /// True if the rule distinguishes groups by something else than the process grid.
    [[nodiscard]] bool is_without_grid() const {
        return division != Division::line && division != Division::dimensions;
    }
    [[nodiscard]] bool is_node() const { return division == Division::nodes && along[0]; }

    /// Number of dimensions that the group has in the process grid; 1: there is no grid.
    /// \param dimensions  dimensions of the process grid
    [[nodiscard]] std::size_t dimensions(std::size_t dimensions) const;

    /// The place of the rank in its group, whose ranks and whose part of the process grid replace those of the run.
    /// \throws InvalidInput  if the ranks cannot be divided so
    [[nodiscard]] Where within(const Where& where) const;

    /// World rank of the first member, which identifies the group among those of the rule.
    [[nodiscard]] std::int64_t first(const Where& where) const;

    /// World ranks of the members, in their order.
    [[nodiscard]] std::vector<trace::Stride> members(const Where& where) const;

    [[nodiscard]] std::string text() const;

    [[nodiscard]] bool operator==(const Membership& other) const = default;
};

/// The ranks of a communicator that was seen, in its order.
struct SeenGroup {
    Where where;  ///< a rank of the communicator
    std::span<const std::int64_t> members;
};

/// All rules that reproduce every group, the simplest first.
/// \param dimensions  dimensions of the process grid; 1: there is no grid
/// \param with_nodes  false: the program and its runs know no nodes
[[nodiscard]] std::vector<Membership> memberships_for(std::span<const SeenGroup> seen, std::size_t dimensions,
                                                      bool with_nodes);

/// True if the rule gives the group that was seen.
[[nodiscard]] bool gives(const Membership& rule, const SeenGroup& seen);

}  // namespace waywiser::extrapolate
