/// The ranks of a class in each of the runs, before a pattern is known.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "extrapolate/loops.hpp"
#include "extrapolate/recording.hpp"

namespace waywiser::extrapolate {

/// A rank of a run in a class, and the calls that it makes.
struct ClassRun {
    const Recording* run = nullptr;
    unsigned steps = 0;  ///< of growth since the smallest run
    const std::vector<Part>* parts = nullptr;
    std::vector<std::int64_t> ranks;
};

/// The occurrences of a part of the loops in the sequence of a run: the positions of a place's calls, in their order.
/// `counts` has the iterations of the enclosing loops, the innermost first.
struct Occurrences {
    std::vector<std::size_t> positions;
    std::vector<std::uint64_t> counts;

    /// Index into `positions` of a round of some of the loops, and the first round of all others.
    /// \param levels  numbers of the loops, the innermost first
    /// \param number  number of the round, counted through the rounds of these loops
    [[nodiscard]] std::size_t index(std::span<const std::size_t> levels, std::uint64_t number) const;
};

/// The occurrences of all places, in the order of the loops.
[[nodiscard]] std::vector<Occurrences> occurrences_of(const std::vector<Part>& parts);

/// The difference between two rounds of a loop.
enum class Rounds : std::uint8_t {
    any_partners,   ///< rounds may have other partners, as those of a butterfly
    same_partners,  ///< rounds have the same partners: a sweep forwards and one backwards are two loops
};

/// Sequences of all ranks of a run as loops; ranks with equal sequences share them.
class RunLoops {
public:
    RunLoops(const Recording& run, const Vocabulary& vocabulary, Rounds rounds);
    [[nodiscard]] const std::vector<Part>& of(std::int64_t rank) const {
        return trees_[tree_of_[static_cast<std::size_t>(rank)]];
    }

private:
    std::vector<std::vector<Part>> trees_;
    std::vector<std::size_t> tree_of_;
};

/// Text on the first call in which two ranks differ; the end also counts if their lengths differ.
[[nodiscard]] std::string first_difference(const Recording& first, std::int64_t first_rank, const Recording& second,
                                           std::int64_t second_rank, const Vocabulary& vocabulary);

}  // namespace waywiser::extrapolate
