/// The ranks of a class in each of the runs, before a pattern is known.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "extrapolate/loops.hpp"
#include "extrapolate/recording.hpp"

namespace waywiser::extrapolate {

/// A rank of a run in a class, and the calls that it makes.
struct ClassRun {
    const Recording* run = nullptr;
    unsigned doublings = 0;
    const std::vector<Part>* parts = nullptr;
    std::vector<std::int64_t> ranks;
};

/// The occurrences of a part of the loops in the sequence of a run: the positions of a place's calls, in their order.
/// `counts` has the iterations of the enclosing loops, the innermost first.
struct Occurrences {
    std::vector<std::size_t> positions;
    std::vector<std::uint64_t> counts;
};

/// The occurrences of all places, in the order of the loops.
[[nodiscard]] std::vector<Occurrences> occurrences_of(const std::vector<Part>& parts);

/// Sequences of all ranks of a run as loops; ranks with equal sequences share them.
class RunLoops {
public:
    explicit RunLoops(const Recording& run);
    [[nodiscard]] const std::vector<Part>& of(std::int64_t rank) const {
        return trees_[tree_of_[static_cast<std::size_t>(rank)]];
    }

private:
    std::vector<std::vector<Part>> trees_;
    std::vector<std::size_t> tree_of_;
};

/// Text on the first call in which two ranks differ; the end also counts if their lengths differ.
[[nodiscard]] std::string first_difference(const Recording& one, std::int64_t of_one, const Recording& other,
                                           std::int64_t of_other, const Vocabulary& vocabulary);

}  // namespace waywiser::extrapolate
