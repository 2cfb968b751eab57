/// Spinors and links of a rank.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/lattice/sites.hpp"
#include "workloads/lattice/su3.hpp"

#include <functional>

namespace waywiser::lattice {

inline constexpr Index spinor_values = 24;
inline constexpr Index half_spinor_values = 12;

/// Spinors of one parity: for each block, the real and imaginary parts of each spin and colour, for all lanes.
class Half {
public:
    explicit Half(const Sites& sites);

    [[nodiscard]] double* data() { return values_.data(); }
    [[nodiscard]] const double* data() const { return values_.data(); }
    [[nodiscard]] Spinor at(Index block, int lane) const;
    void set(Index block, int lane, const Spinor& spinor);

private:
    int lanes_;
    Array<double> values_;
};

/// A field on all sites, indexed by parity.
using Full = std::array<Half, 2>;
[[nodiscard]] Full full_field(const Sites& sites);

/// Calls `body(place, site)` on all threads, for each place of a rank and its site of the whole lattice.
template <class Body>
void for_each_site(const Sites& sites, Body body) {
    for (int parity = 0; parity < 2; ++parity) {
#pragma omp parallel for schedule(static)
        for (Index block = 0; block < sites.blocks(); ++block) {
            for (int lane = 0; lane < sites.lanes(); ++lane) {
                const Place place{parity, block, lane};
                body(place, sites.torus().global(sites.coordinates(place)));
            }
        }
    }
}

/// The links of a rank. Each site has its own U forwards and the adjoint of the neighbour's U backwards, so that a hop
/// reads all links in the order of its sites. Links that belong to another rank's site are 0.
class Links {
public:
    using Of = std::function<Matrix(const Index4& site, std::size_t axis)>;

    /// \param rows  3, or 2 if the third row is computed from the other two
    Links(const Sites& sites, int rows);

    /// \param of       function of a site of the whole lattice and an axis
    /// \param flipped  true if links around t change their sign
    void fill(const Of& of, bool flipped);

    [[nodiscard]] int rows() const { return rows_; }
    [[nodiscard]] const double* data(int parity) const { return values_[static_cast<std::size_t>(parity)].data(); }
    [[nodiscard]] Matrix at(const Place& place, int direction) const;

private:
    void set(const Place& place, int direction, const Matrix& link);
    [[nodiscard]] Index offset(const Place& place, int direction) const;

    const Sites& sites_;
    int rows_;
    std::array<Array<double>, 2> values_;
};

}  // namespace waywiser::lattice
