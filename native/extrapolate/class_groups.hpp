/// The communicators of a class of ranks: which rule gives their members in all runs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "extrapolate/class_runs.hpp"
#include "extrapolate/groups.hpp"

namespace waywiser::extrapolate {

/// Rules of the objects of a class, by the ranks' own numbers.
class ClassGroups {
public:
    /// \param runs    the class in each run
    /// \param later   ranks of the class in larger runs, on which rules must agree
    ClassGroups(const Vocabulary& vocabulary, const Places& places, const std::vector<ClassRun>& runs,
                const std::vector<Where>& later);

    /// The members of a call's object.
    /// \throws Misfit  if no rule or several rules hold
    [[nodiscard]] const Membership& of(const trace::Parameters& call);

    /// Rules of all objects; none for those whose rule is unknown, which no call needs.
    [[nodiscard]] std::vector<std::optional<Membership>> all() const;

private:
    struct Known {
        std::optional<Membership> rule = {};
        std::string why = {};  ///< without a rule
        bool is_open = false;  ///< without a rule: several hold in all runs
        bool needed = false;
    };

    struct Maker {
        std::string function;
        std::int32_t parent = trace::kNone;
    };

    [[nodiscard]] Known known(std::size_t number) const;
    [[nodiscard]] std::string misfit(const std::vector<SeenGroup>& seen) const;
    [[nodiscard]] std::string disagreement(const std::vector<Membership>& rules) const;
    [[nodiscard]] std::string unknown_growth(const Membership& rule, const std::vector<SeenGroup>& seen) const;
    [[nodiscard]] bool is_within(const Membership& rule, const Membership& parent) const;

    const Vocabulary& vocabulary_;
    const Places& places_;
    const std::vector<ClassRun>& runs_;
    const std::vector<Where>& later_;
    bool with_nodes_;
    std::map<std::int32_t, Maker> makers_;
    std::vector<Known> known_;
};

}  // namespace waywiser::extrapolate
