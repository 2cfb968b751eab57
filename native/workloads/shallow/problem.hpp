/// Williamson's test cases 2 and 5.
///
/// Source: D. L. Williamson, J. B. Drake, J. J. Hack, R. Jakob, P. N. Swarztrauber, Journal of Computational Physics
/// 102 (1992), pp. 211-224, doi:10.1016/S0021-9991(05)80016-6.
#pragma once

#include "workloads/shallow/domain.hpp"
#include "workloads/shallow/settings.hpp"

namespace waywiser::shallow {

class Problem {
public:
    explicit Problem(const Settings& settings);

    [[nodiscard]] Ground ground() const { return {axis_, settings_.test == 5}; }
    [[nodiscard]] bool is_steady() const { return settings_.test == 2; }
    /// The initial state. Mean depths of levels differ by a thousandth, so that swapped levels are detected.
    [[nodiscard]] State start(const Domain& domain) const;
    /// Upper bound of the mean depths of all levels [m].
    [[nodiscard]] double greatest_depth() const;

private:
    [[nodiscard]] double depth(Index level) const;
    [[nodiscard]] double thickness(const Vector3& at, Index level) const;
    [[nodiscard]] double stream(const Vector3& at) const;

    const Settings& settings_;
    double speed_;  ///< speed of the flow at the equator [m/s]
    Vector3 axis_;  ///< axis of the flow and of the rotation
};

}  // namespace waywiser::shallow
