/// Regularities in the calls of a program, recognised in runs of P, 2 P, 4 P, … or P, 4 P, 16 P, … ranks.
///
/// Source of the idea: X. Wu and F. Mueller, "ScalaExtrap: trace-based communication extrapolation for SPMD programs",
/// PPoPP 2011. Here a rule is accepted only if it reproduces every call of every rank of every run, and if no other
/// such rule predicts differently for larger runs.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "extrapolate/boxes.hpp"
#include "extrapolate/groups.hpp"
#include "extrapolate/recording.hpp"
#include "extrapolate/rules.hpp"
#include "extrapolate/scaling.hpp"

namespace waywiser::extrapolate {

/// The rules of a call: peer, tag, source and source_tag, in this order.
using Rules = std::array<Rule, 4>;

template <class AnyParameters>
auto placed_fields(AnyParameters& p) {
    return std::array{&p.peer, &p.tag, &p.source, &p.source_tag};
}

/// Rules of the sizes of trace::Parameters.
struct Sizes {
    Scaling bytes;
    Scaling posted;
};

/// One of the calls that a place in the loops makes alternately.
struct Choice {
    trace::Parameters call;  ///< the call without the parameters below; its lists belong to the recording
    Membership group;        ///< the ranks of its communicator
    Rules rules;             ///< of the places in the group
    Sizes sizes;
    std::optional<Sizes> at_root;  ///< sizes at the root of a collective, if they differ
    std::optional<Box> box;        ///< the box that a round sends, if sizes depend on it
    std::vector<Sizes> by_faces;   ///< sizes of boxes by their number of faces; empty without `box`

    /// \param inside  a rank's place in the group
    [[nodiscard]] bool is_root(const Where& inside) const {
        return at_root && rules.front().value(inside) == inside.rank;
    }
};

/// A place in the loops of a class.
struct CallPattern {
    std::vector<Choice> choices;       ///< of all, or of none, the sizes depend on the box
    std::vector<std::size_t> levels;   ///< loops with whose rounds the choices alternate, the innermost first
    std::vector<std::size_t> growing;  ///< at most one loop of growing length, on whose round the rules depend
    Scaling time;                      ///< law of the computation before the call
    double share = 0;                  ///< share in the computation of its class

    [[nodiscard]] bool is_by_box() const { return choices.front().box.has_value(); }
};

/// A part of the calls of a class: a call, or a loop.
struct PartPattern {
    std::size_t call = 0;  ///< index into ClassPattern::calls
    std::vector<PartPattern> body;
    Count count;
    std::uint64_t recorded_count = 1;  ///< count in the largest run

    [[nodiscard]] bool is_loop() const { return !body.empty(); }
};

/// Ranks that make the same calls.
struct ClassPattern {
    std::vector<PartPattern> parts;
    std::vector<CallPattern> calls;
    std::vector<std::optional<Membership>> groups;  ///< the ranks of objects, by number; none: no call needs it
    std::vector<std::int64_t> ranks;                ///< ranks of the largest run
};

struct Pattern {
    Vocabulary vocabulary;
    std::vector<Recording> runs;  ///< in order of their numbers of ranks
    Classes classes = Classes::all;
    Growth growth;
    std::map<std::uint32_t, ClassPattern> by_class;

    /// True if communicators depend on the nodes.
    [[nodiscard]] bool uses_nodes() const;

    /// True if the pattern assumes growth in dimensions of the grid that are the same in all runs.
    [[nodiscard]] bool assumes_growth() const { return growth.turn.size() > growth.doublings * (runs.size() - 1); }
};

/// \param traces  traces of three or more runs of P, 2 P, 4 P, … or P, 4 P, 16 P, … ranks, in any order
/// \throws InvalidInput  with a rank, its call, and the misfit
[[nodiscard]] Pattern recognise(const std::vector<std::string>& traces);

}  // namespace waywiser::extrapolate
