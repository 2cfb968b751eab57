/// The modelling case: receivers record the waves of a source. Runs are timed and, in a homogeneous medium, checked.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/propa/settings.hpp"

namespace waywiser::propa {

/// Collective. Real is float or double.
/// \throws InvalidInput  on all ranks
template <class Real>
[[nodiscard]] ExitCode model(const Settings& settings, const Ranks& ranks);

}  // namespace waywiser::propa
