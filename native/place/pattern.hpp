/// Communication between ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace waywiser::place {

/// One partner of a rank.
struct Partner {
    std::uint32_t rank = 0;
    std::uint64_t bytes = 0;     ///< bytes sent to the partner
    std::uint64_t messages = 0;  ///< messages sent to the partner
};

/// A sparse communication matrix. If rank a sends to b, b also has a as a partner, with 0 bytes if it never replies; no
/// rank is its own partner. Partners are sorted by rank.
class Pattern {
public:
    /// One entry of a matrix: `bytes` in `messages` from one rank to another. Entries of the same pair are summed, and
    /// a rank's messages to itself are left out.
    struct Entry {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        std::uint64_t bytes = 0;
        std::uint64_t messages = 0;
    };
    Pattern(std::uint32_t ranks, std::span<const Entry> entries);

    [[nodiscard]] std::uint32_t ranks() const noexcept { return static_cast<std::uint32_t>(first_.size() - 1); }
    [[nodiscard]] std::span<const Partner> partners(std::uint32_t rank) const noexcept {
        return std::span(partners_).subspan(first_[rank], first_[rank + 1] - first_[rank]);
    }

private:
    std::vector<std::uint64_t> first_;  // first partner of each rank, and the end
    std::vector<Partner> partners_;
};

}  // namespace waywiser::place
