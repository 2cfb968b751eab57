#include "workloads/lattice/problem.hpp"

namespace waywiser::lattice {
namespace {

/// Purposes of random numbers; links use the number of their axis.
enum Purpose : std::uint64_t { of_transformation = 4, of_source = 5 };

}  // namespace

std::uint64_t Problem::number(const Index4& site) const { return static_cast<std::uint64_t>(torus_.number(site)); }

Matrix Problem::link(const Index4& site, std::size_t axis) const {
    if (settings_.is_free()) return unit_matrix();
    const Random random(static_cast<std::uint64_t>(settings_.seed), axis, number(site));
    return settings_.distance > 0 ? near_unit_matrix(random, settings_.distance) : random_matrix(random);
}

Matrix Problem::transformation(const Index4& site) const {
    return random_matrix(Random(static_cast<std::uint64_t>(settings_.seed), of_transformation, number(site)));
}

/// Returns g(x) U(x) g(x + mu)^+.
Matrix Problem::transformed_link(const Index4& site, std::size_t axis) const {
    Index4 next = site;
    next[axis] = (next[axis] + 1) % torus_.extents()[axis];
    return product(product(transformation(site), link(site, axis)), adjoint(transformation(next)));
}

Spinor Problem::transformed(const Index4& site, const Spinor& spinor) const {
    const Matrix g = transformation(site);
    Spinor image{};
    for (std::size_t spin = 0; spin < 4; ++spin) {
        for (std::size_t row = 0; row < 3; ++row) {
            for (std::size_t column = 0; column < 3; ++column) {
                image[3 * spin + row] += times(g[row][column], spinor[3 * spin + column]);
            }
        }
    }
    return image;
}

Spinor Problem::source(const Index4& site) const {
    if (!settings_.is_point()) return random(0, site);
    Spinor spinor{};
    if (site == Index4{}) spinor[0] = 1;
    return spinor;
}

Spinor Problem::random(std::uint64_t purpose, const Index4& site) const {
    Random random(static_cast<std::uint64_t>(settings_.seed), of_source + purpose, number(site));
    Spinor spinor;
    for (Complex& component : spinor) component = random.normal();
    return spinor;
}

double Problem::square_bound() const {
    if (settings_.is_point()) return 1;
    const auto values = static_cast<double>(product(torus_.extents()) * spinor_values);
    return values * greatest_normal * greatest_normal;
}

}  // namespace waywiser::lattice
