#include "workloads/npb/blocks.hpp"

namespace waywiser::npb {
namespace {

/// Gradient of the pressure with respect to the unknowns.
Vector5 pressure_gradient(const Flow<>& f) {
    Vector5 gradient{f.kinetic, -f.velocity[0], -f.velocity[1], -f.velocity[2], 1};
    for (double& component : gradient) component *= pressure_factor;
    return gradient;
}

Block convective_jacobian(const Flow<>& f, std::size_t axis) {
    const Vector5 pressure = pressure_gradient(f);
    const double normal = f.velocity[axis];
    const double enthalpy = f.energy + f.work;
    Block j{};
    j[0][1 + axis] = 1;
    for (std::size_t b = 0; b < 3; ++b) {
        j[1 + b][0] = -f.velocity[b] * normal;
        j[1 + b][1 + b] += normal;
        j[1 + b][1 + axis] += f.velocity[b];
    }
    for (std::size_t m = 0; m < 5; ++m) {
        j[1 + axis][m] += pressure[m];
        j[4][m] = pressure[m] * normal;
    }
    j[4][0] -= enthalpy * normal;
    j[4][1 + axis] += enthalpy;
    j[4][4] += normal;
    return j;
}

Block viscous_jacobian(const Flow<>& f, std::size_t axis) {
    const double factor = viscosity * f.volume;
    Block j{};
    j[4][0] = -factor * heat_conduction * f.energy;
    j[4][4] = factor * heat_conduction;
    for (std::size_t b = 0; b < 3; ++b) {
        const double momentum = b == axis ? normal_viscosity : 1;
        const double velocity = f.velocity[b];
        j[1 + b][0] = -factor * momentum * velocity;
        j[1 + b][1 + b] = factor * momentum;
        j[4][0] -= factor * (momentum - heat_conduction) * velocity * velocity;
        j[4][1 + b] = factor * (momentum - heat_conduction) * velocity;
    }
    return j;
}

}  // namespace

Jacobians::Jacobians(const Vector5& u, std::size_t axis)
    : convective(convective_jacobian(Flow(u), axis)), viscous(viscous_jacobian(Flow(u), axis)) {}

Block coupling(const Jacobians& neighbour, std::size_t axis, double sign, double dt, const Differences& differences) {
    Block block{};
    for (std::size_t m = 0; m < 5; ++m) {
        for (std::size_t n = 0; n < 5; ++n) {
            block[m][n] = dt * (sign * differences.first * neighbour.convective[m][n] -
                                differences.second * neighbour.viscous[m][n]);
        }
        block[m][m] -= dt * differences.second * diffusion[axis];
    }
    return block;
}

void add_diagonal(const Jacobians& here, std::size_t axis, double dt, const Differences& differences, Block& block) {
    const double factor = 2 * dt * differences.second;
    for (std::size_t m = 0; m < 5; ++m) {
        for (std::size_t n = 0; n < 5; ++n) block[m][n] += factor * here.viscous[m][n];
        block[m][m] += factor * diffusion[axis];
    }
}

Block identity() {
    Block block{};
    for (std::size_t m = 0; m < 5; ++m) block[m][m] = 1;
    return block;
}

void subtract_product(const Block& block, const Vector5& x, Vector5& r) {
    for (std::size_t m = 0; m < 5; ++m) {
        for (std::size_t n = 0; n < 5; ++n) r[m] -= block[m][n] * x[n];
    }
}

void subtract_product(const Block& block, const Block& b, Block& a) {
    for (std::size_t m = 0; m < 5; ++m) {
        for (std::size_t k = 0; k < 5; ++k) {
            for (std::size_t n = 0; n < 5; ++n) a[m][n] -= block[m][k] * b[k][n];
        }
    }
}

void solve(Block& a, Vector5& r, Block* right) {
    for (std::size_t p = 0; p < 5; ++p) {
        const double pivot = 1 / a[p][p];
        for (std::size_t n = p + 1; n < 5; ++n) a[p][n] *= pivot;
        r[p] *= pivot;
        for (std::size_t n = 0; right != nullptr && n < 5; ++n) (*right)[p][n] *= pivot;
        for (std::size_t m = 0; m < 5; ++m) {
            if (m == p) continue;
            const double factor = a[m][p];
            for (std::size_t n = p + 1; n < 5; ++n) a[m][n] -= factor * a[p][n];
            r[m] -= factor * r[p];
            for (std::size_t n = 0; right != nullptr && n < 5; ++n) (*right)[m][n] -= factor * (*right)[p][n];
        }
    }
}

}  // namespace waywiser::npb
