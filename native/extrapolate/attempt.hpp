/// One attempt with an assumption about a program: how its grid of ranks grows, and which ranks behave alike.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "extrapolate/class_runs.hpp"
#include "extrapolate/pattern.hpp"

namespace waywiser::extrapolate {

/// An assumption about the program that does not hold.
struct Misfit : Error {
    Misfit(double share, const std::string& why) : Error(why), explained(share) {}

    double explained;  ///< share of the calls' places before it
};

/// The patterns of all classes, if the assumption holds in all runs.
/// \param runs   of P, 2 P, 4 P, … ranks, in this order
/// \param loops  of each of them
/// \throws Misfit
[[nodiscard]] std::map<std::uint32_t, ClassPattern> attempt(const Vocabulary& vocabulary,
                                                            const std::vector<Recording>& runs,
                                                            const std::vector<RunLoops>& loops, Classes classes,
                                                            const Growth& growth);

}  // namespace waywiser::extrapolate
