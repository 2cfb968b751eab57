#include "workloads/lattice/fields.hpp"

#include <algorithm>

namespace waywiser::lattice {
namespace {

constexpr Index values_of_a_row = 6;

/// Zeroes values on all threads. Each thread writes the part that it will process.
void clear(Array<double>& values, Index parts) {
    const Index each = static_cast<Index>(values.size()) / parts;
#pragma omp parallel for schedule(static)
    for (Index part = 0; part < parts; ++part) std::fill_n(values.data() + part * each, each, 0.0);
}

}  // namespace

Half::Half(const Sites& sites)
    : lanes_(sites.lanes()), values_(static_cast<std::size_t>(sites.blocks() * spinor_values * sites.lanes())) {
    clear(values_, sites.blocks());
}

Spinor Half::at(Index block, int lane) const {
    const double* value = values_.data() + block * spinor_values * lanes_ + lane;
    Spinor spinor;
    for (Complex& component : spinor) {
        component = {value[0], value[lanes_]};
        value += Index{2} * lanes_;
    }
    return spinor;
}

void Half::set(Index block, int lane, const Spinor& spinor) {
    double* value = values_.data() + block * spinor_values * lanes_ + lane;
    for (const Complex& component : spinor) {
        value[0] = component.real();
        value[lanes_] = component.imag();
        value += Index{2} * lanes_;
    }
}

Full full_field(const Sites& sites) { return {Half(sites), Half(sites)}; }

Links::Links(const Sites& sites, int rows) : sites_(sites), rows_(rows) {
    const Index of_site = directions * rows * values_of_a_row;
    for (Array<double>& values : values_) {
        values = Array<double>(static_cast<std::size_t>(sites.blocks() * of_site * sites.lanes()));
        clear(values, sites.blocks());
    }
}

void Links::fill(const Of& of, bool flipped) {
    const Torus& torus = sites_.torus();
    for_each_site(sites_, [&](const Place& place, const Index4& site) {
        for (std::size_t axis = 0; axis < axes; ++axis) {
            Matrix link = of(site, axis);
            if (flipped && axis == 3 && site[3] == torus.extents()[3] - 1) {
                for (auto& row : link) {
                    for (Complex& value : row) value = -value;
                }
            }
            set(place, forward(axis), link);
            Index4 next = sites_.coordinates(place);
            if (++next[axis] == torus.local()[axis]) {
                if (torus.is_cut(axis)) continue;
                next[axis] = 0;
            }
            set(sites_.place(next), backward(axis), adjoint(link));
        }
    });
}

Matrix Links::at(const Place& place, int direction) const {
    const double* value = data(place.parity) + offset(place, direction);
    const Index apart = sites_.lanes();
    Matrix link{};
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows_); ++row) {
        for (Complex& entry : link[row]) {
            entry = {value[0], value[apart]};
            value += 2 * apart;
        }
    }
    if (rows_ == 2) complete(link);
    return link;
}

void Links::set(const Place& place, int direction, const Matrix& link) {
    double* value = values_[static_cast<std::size_t>(place.parity)].data() + offset(place, direction);
    const Index apart = sites_.lanes();
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows_); ++row) {
        for (const Complex& entry : link[row]) {
            value[0] = entry.real();
            value[apart] = entry.imag();
            value += 2 * apart;
        }
    }
}

Index Links::offset(const Place& place, int direction) const {
    return (place.block * directions + direction) * rows_ * values_of_a_row * sites_.lanes() + place.lane;
}

}  // namespace waywiser::lattice
