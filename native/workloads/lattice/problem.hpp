/// The system that is solved.
#pragma once

#include "workloads/lattice/fields.hpp"
#include "workloads/lattice/settings.hpp"

namespace waywiser::lattice {

/// Links according to the settings, a gauge transform, and the right-hand side.
class Problem {
public:
    explicit Problem(const Settings& settings, const Torus& torus) : settings_(settings), torus_(torus) {}

    [[nodiscard]] Matrix link(const Index4& site, std::size_t axis) const;
    [[nodiscard]] Matrix transformed_link(const Index4& site, std::size_t axis) const;
    [[nodiscard]] Spinor transformed(const Index4& site, const Spinor& spinor) const;
    [[nodiscard]] Spinor source(const Index4& site) const;
    [[nodiscard]] Spinor random(std::uint64_t purpose, const Index4& site) const;
    /// Upper bound of the source's squared norm.
    [[nodiscard]] double square_bound() const;

private:
    [[nodiscard]] Matrix transformation(const Index4& site) const;
    [[nodiscard]] std::uint64_t number(const Index4& site) const;

    const Settings& settings_;
    const Torus& torus_;
};

}  // namespace waywiser::lattice
