/// One attempt with an assumption about a program: on the growth of its grid of ranks and on its classes of ranks.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "extrapolate/class_runs.hpp"
#include "extrapolate/misfit.hpp"
#include "extrapolate/pattern.hpp"

namespace waywiser::extrapolate {

/// The patterns of all classes, if the assumption holds in all runs.
/// \param runs   in order of their numbers of ranks, which grow as `growth` says
/// \param loops  loops of each run
/// \throws Misfit
[[nodiscard]] std::map<std::uint32_t, ClassPattern> attempt(const Vocabulary& vocabulary,
                                                            const std::vector<Recording>& runs,
                                                            const std::vector<RunLoops>& loops, Classes classes,
                                                            const Growth& growth);

}  // namespace waywiser::extrapolate
