#include "workloads/lattice/plaquette.hpp"

namespace waywiser::lattice {
namespace {

constexpr Index planes = axes * (axes - 1) / 2;

using SiteLinks = std::array<Matrix, axes>;

/// Real part of the trace of a b^+.
double real_trace(const Matrix& a, const Matrix& b) {
    double sum = 0;
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            sum += a[row][column].real() * b[row][column].real() + a[row][column].imag() * b[row][column].imag();
        }
    }
    return sum;
}

/// The links of a box, and those of the sites beyond its upper faces, which belong to other ranks.
class Squares {
public:
    Squares(const Sites& sites, const Links& links, MPI_Comm communicator) : sites_(sites), links_(links) {
        for (std::size_t axis = 0; axis < axes; ++axis) {
            if (torus().is_cut(axis)) receive_face(axis, communicator);
        }
    }

    /// Sum of the traces of the squares with a site as their lowest corner.
    [[nodiscard]] double traces(const Index4& site) const {
        double sum = 0;
        for (std::size_t mu = 0; mu < axes; ++mu) {
            for (std::size_t nu = mu + 1; nu < axes; ++nu) {
                sum +=
                    real_trace(product(own(site, mu), next(site, mu, nu)), product(own(site, nu), next(site, nu, mu)));
            }
        }
        return sum;
    }

private:
    [[nodiscard]] const Torus& torus() const { return sites_.torus(); }

    [[nodiscard]] Matrix own(const Index4& site, std::size_t axis) const {
        return links_.at(sites_.place(site), forward(axis));
    }

    /// The link on an axis of the site one step further on another axis.
    [[nodiscard]] Matrix next(Index4 site, std::size_t step, std::size_t axis) const {
        if (++site[step] < torus().local()[step]) return own(site, axis);
        if (torus().is_cut(step)) return upper_[step][number(site, step)][axis];
        site[step] = 0;
        return own(site, axis);
    }

    /// Number of a site on a face across an axis.
    [[nodiscard]] std::size_t number(const Index4& site, std::size_t across) const {
        Index position = 0;
        for (std::size_t axis = 0; axis < axes; ++axis) {
            if (axis != across) position = position * torus().local()[axis] + site[axis];
        }
        return static_cast<std::size_t>(position);
    }

    void receive_face(std::size_t across, MPI_Comm communicator) {
        const auto count = static_cast<std::size_t>(product(torus().local()) / torus().local()[across]);
        std::vector<SiteLinks> lower(count);
        for_each_site(sites_, [&](const Place& place, const Index4&) {
            const Index4 site = sites_.coordinates(place);
            if (site[across] != 0) return;
            for (std::size_t axis = 0; axis < axes; ++axis) lower[number(site, across)][axis] = own(site, axis);
        });
        upper_[across].resize(count);
        const auto values = static_cast<int>(count * sizeof(SiteLinks) / sizeof(double));
        MPI_Sendrecv(lower.data(), values, MPI_DOUBLE, static_cast<int>(torus().neighbour(backward(across))), 0,
                     upper_[across].data(), values, MPI_DOUBLE, static_cast<int>(torus().neighbour(forward(across))), 0,
                     communicator, MPI_STATUS_IGNORE);
    }

    const Sites& sites_;
    const Links& links_;
    std::array<std::vector<SiteLinks>, axes> upper_;
};

}  // namespace

/// The sum has more digits than the mean, so that the mean does not depend on the order of summation.
double mean_plaquette(const Sites& sites, const Links& links, MPI_Comm communicator) {
    const Squares squares(sites, links, communicator);
    long double sum = 0;
    for (int parity = 0; parity < 2; ++parity) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (Index block = 0; block < sites.blocks(); ++block) {
            for (int lane = 0; lane < sites.lanes(); ++lane) {
                sum += squares.traces(sites.coordinates({parity, block, lane}));
            }
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG_DOUBLE, MPI_SUM, communicator);
    return static_cast<double>(sum / static_cast<long double>(3 * planes * product(sites.torus().extents())));
}

}  // namespace waywiser::lattice
