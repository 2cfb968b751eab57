#include "workloads/lattice/kernels.hpp"

#include <bit>

namespace waywiser::lattice {
namespace {

using Gamma = std::array<std::array<Complex, 4>, 4>;

constexpr Complex imaginary{0, 1};

/// gamma_k = [[0, i sigma_k], [-i sigma_k, 0]] and gamma_4 = [[0, 1], [1, 0]].
constexpr std::array<Gamma, axes> gammas{{
    {{{0, 0, 0, imaginary}, {0, 0, imaginary, 0}, {0, -imaginary, 0, 0}, {-imaginary, 0, 0, 0}}},
    {{{0, 0, 0, 1}, {0, 0, -1, 0}, {0, -1, 0, 0}, {1, 0, 0, 0}}},
    {{{0, 0, imaginary, 0}, {0, 0, 0, -imaginary}, {-imaginary, 0, 0, 0}, {0, imaginary, 0, 0}}},
    {{{0, 0, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}}},
}};

/// Returns (1 + sign gamma) psi.
Spinor projected(std::size_t axis, double sign, const Spinor& psi) {
    Spinor sum = psi;
    for (std::size_t row = 0; row < 4; ++row) {
        for (std::size_t column = 0; column < 4; ++column) {
            for (std::size_t c = 0; c < 3; ++c) {
                sum[3 * row + c] += sign * times(gammas[axis][row][column], psi[3 * column + c]);
            }
        }
    }
    return sum;
}

Spinor transported(const Matrix& link, const Spinor& psi) {
    Spinor product{};
    for (std::size_t spin = 0; spin < 4; ++spin) {
        for (std::size_t row = 0; row < 3; ++row) {
            for (std::size_t column = 0; column < 3; ++column) {
                product[3 * spin + row] += times(link[row][column], psi[3 * spin + column]);
            }
        }
    }
    return product;
}

Spinor read(const double* value, Index apart, std::size_t numbers) {
    Spinor psi{};
    for (std::size_t k = 0; k < numbers; ++k) {
        psi[k] = {value[0], value[apart]};
        value += 2 * apart;
    }
    return psi;
}

/// Returns a direction's contribution to a site.
Spinor contribution(const HopWork& work, const Place& place, int direction) {
    const Sites& sites = *work.sites;
    const Torus& torus = sites.torus();
    const Index lanes = sites.lanes();
    const auto axis = static_cast<std::size_t>(direction) / 2;
    const bool is_forward = direction == forward(axis);
    const double sign = is_forward == work.dagger ? 1 : -1;
    Index4 next = sites.coordinates(place);
    next[axis] += is_forward ? 1 : -1;
    const Index extent = torus.local()[axis];
    const bool leaves = next[axis] < 0 || next[axis] == extent;
    const Matrix link = work.links->at(place, direction);
    if (leaves && torus.is_cut(axis)) {
        const Index number = sites.halos(place.parity)[place.block * directions + direction];
        const double* values = work.received[static_cast<std::size_t>(direction)];
        const Spinor upper = read(values + number * half_spinor_values * lanes + place.lane, lanes, 6);
        // The upper spins of (1 + sign gamma) psi determine its lower spins.
        const Spinor whole = projected(axis, sign, upper);
        return is_forward ? transported(link, whole) : whole;
    }
    next[axis] = (next[axis] + extent) % extent;
    const Place there = sites.place(next);
    const Spinor psi = read(work.in + there.block * spinor_values * lanes + there.lane, lanes, 12);
    return transported(link, projected(axis, sign, psi));
}

void hop(const HopWork& work) {
    const Index lanes = work.sites->lanes();
    for (const std::int32_t block : work.blocks) {
        for (int lane = 0; lane < lanes; ++lane) {
            Spinor sum{};
            for (int direction = 0; direction < directions; ++direction) {
                const Spinor term = contribution(work, {work.parity, block, lane}, direction);
                for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += term[k];
            }
            Index at = block * spinor_values * lanes + lane;
            for (const Complex& component : sum) {
                for (const double part : {component.real(), component.imag()}) {
                    work.out[at] = (work.add != nullptr ? work.add[at] : 0) + work.factor * part;
                    at += lanes;
                }
            }
        }
    }
}

void pack(const PackWork& work) {
    const Sites& sites = *work.sites;
    const Index lanes = sites.lanes();
    const auto axis = static_cast<std::size_t>(work.direction) / 2;
    const bool to_forward = work.direction == forward(axis);
    const double sign = to_forward == work.dagger ? -1 : 1;
    const unsigned at_face = sites.face_lanes(work.direction);
    const auto face_lanes = static_cast<Index>(std::popcount(at_face));
    double* message = work.message;
    for (const std::int32_t block : work.blocks) {
        Index place = 0;
        for (int lane = 0; lane < lanes; ++lane) {
            if ((at_face >> static_cast<unsigned>(lane) & 1U) == 0) continue;
            Spinor psi = projected(axis, sign, read(work.in + block * spinor_values * lanes + lane, lanes, 12));
            if (to_forward) psi = transported(adjoint(work.links->at({work.parity, block, lane}, work.direction)), psi);
            for (std::size_t k = 0; k < 6; ++k) {
                message[static_cast<Index>(2 * k) * face_lanes + place] = psi[k].real();
                message[static_cast<Index>(2 * k + 1) * face_lanes + place] = psi[k].imag();
            }
            ++place;
        }
        message += half_spinor_values * face_lanes;
    }
}

}  // namespace

HopKernels plain_hop() { return {hop, pack}; }

}  // namespace waywiser::lattice
