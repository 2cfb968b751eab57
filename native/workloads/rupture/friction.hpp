/// Linear slip weakening at one point of a fault, for kernels and for samples within their steps.
#pragma once

#include <algorithm>
#include <cmath>

namespace waywiser::rupture {

/// Law of friction without cohesion.
struct FrictionLaw {
    double static_coefficient;
    double dynamic_coefficient;
    double critical_slip_m;
};

template <class Real>
struct Sliding {
    Real rate[3];
    Real speed;
    Real friction;  ///< friction coefficient
};

/// A friction law in the precision of the kernels.
template <class Real>
class Friction {
public:
    explicit Friction(const FrictionLaw& law)
        : static_(static_cast<Real>(law.static_coefficient)),
          weakening_(static_cast<Real>(law.static_coefficient - law.dynamic_coefficient)),
          per_m_(static_cast<Real>(1 / law.critical_slip_m)) {}

    /// \param n       3: normal of the minus side
    /// \param eta     reduction of traction by a slip rate of 1 m/s
    /// \param path    slip path length so far
    /// \param locked  3: traction on the minus side if the point did not slip, the initial stress included
    [[nodiscard, gnu::always_inline]] Sliding<Real> slide(const Real* n, Real eta, Real path,
                                                          const Real* locked) const {
        const Real normal = n[0] * locked[0] + n[1] * locked[1] + n[2] * locked[2];
        Sliding<Real> now{};
        Real square = 0;
        for (int c = 0; c < 3; ++c) {
            now.rate[c] = locked[c] - normal * n[c];
            square += now.rate[c] * now.rate[c];
        }
        const Real shear = std::sqrt(square);
        now.friction = static_ - weakening_ * std::min(path * per_m_, Real{1});
        now.speed = std::max((shear + now.friction * std::min(normal, Real{0})) / eta, Real{0});
        const Real share = shear > 0 ? now.speed / shear : Real{0};
        for (Real& component : now.rate) component *= share;
        return now;
    }

private:
    Real static_;
    Real weakening_;
    Real per_m_;
};

}  // namespace waywiser::rupture
