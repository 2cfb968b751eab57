/// The rules that the calls of one place follow in all runs.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "extrapolate/class_groups.hpp"
#include "extrapolate/pattern.hpp"

namespace waywiser::extrapolate {

/// Finds the rules of a class's calls: the group of ranks of each call, partners and tags in it, and sizes.
class CallRules {
public:
    /// \param later  ranks of the class in larger runs, on which rules must agree
    CallRules(const Vocabulary& vocabulary, const Places& places, const std::vector<ClassRun>& runs,
              const std::vector<Where>& later, ClassGroups& groups)
        : vocabulary_(vocabulary), places_(places), runs_(runs), later_(later), groups_(groups) {}

    /// One of the choices of a place.
    /// \param at      the place in each run
    /// \param of      the place's loops
    /// \param rounds  of the growing loop, on whose rounds the rules depend; else 1
    /// \throws Misfit
    [[nodiscard]] Choice choice(const std::vector<const Occurrences*>& at, const CallPattern& of, const Count& rounds,
                                std::uint64_t number);

    /// True if a size depends on single dimensions of the grid.
    [[nodiscard]] bool by_dimension() const { return by_dimension_; }

private:
    using SeenSizes = std::array<std::vector<Seen>, 2>;  ///< what is sent and what is received

    [[nodiscard]] Rule rule_of(const std::vector<Seen>& seen, const Choice& choice, const char* field,
                               const Count& rounds) const;
    [[nodiscard]] Sizes sizes_of(const SeenSizes& seen, const Choice& choice);
    [[nodiscard]] Scaling size_of(const std::vector<Seen>& seen, const Choice& choice, const char* does);
    void find_sizes_of_boxes(const SeenSizes& seen, const Count& rounds, Choice& choice);
    [[nodiscard]] Box box_of(const std::vector<Seen>& seen, const Choice& choice, const Count& rounds) const;
    [[nodiscard]] std::int64_t rounds_at(const Count& rounds, const Where& where) const;
    void check_later(const std::vector<Scaling>& laws, const Choice& choice) const;

    const Vocabulary& vocabulary_;
    const Places& places_;
    const std::vector<ClassRun>& runs_;
    const std::vector<Where>& later_;
    ClassGroups& groups_;
    bool by_dimension_ = false;
};

}  // namespace waywiser::extrapolate
