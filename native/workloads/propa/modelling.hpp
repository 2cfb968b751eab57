/// The modelling case: what receivers record of a source, timed and, in a homogeneous medium, checked.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/propa/settings.hpp"

namespace waywiser::propa {

/// Collective. Real is float or double.
/// \throws InvalidInput  on all ranks
template <class Real>
[[nodiscard]] ExitCode model(const Settings& settings, const Ranks& ranks);

}  // namespace waywiser::propa
