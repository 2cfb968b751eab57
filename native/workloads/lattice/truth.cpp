#include "workloads/lattice/truth.hpp"

#include "workloads/common/greatest.hpp"
#include "workloads/lattice/free.hpp"
#include "workloads/lattice/plaquette.hpp"

#include <cmath>

namespace waywiser::lattice {
namespace {

double greatest_of(double value, const Ranks& ranks) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, ranks.communicator);
    return value;
}

class Judge {
public:
    explicit Judge(const Judged& of)
        : of_(of), u_(full_field(*of.sites)), v_(full_field(*of.sites)), w_(full_field(*of.sites)) {}

    double residual() {
        of_.baseline->apply(false, *of_.x, w_);
        double difference = 0;
        double whole = 0;
        each_site([&](const Place& place, const Index4&) {
            const Spinor b = at(*of_.b, place);
            const Spinor image = at(w_, place);
            for (std::size_t k = 0; k < b.size(); ++k) {
                difference += std::norm(b[k] - image[k]);
                whole += std::norm(b[k]);
            }
        });
        std::array<double, 2> sums{difference, whole};
        MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, of_.ranks.communicator);
        return std::sqrt(sums[0] / sums[1]);
    }

    /// Error of D^+ u relative to gamma_5 D gamma_5 u at each site, and of the product (D^+ u, v) relative to (u, D v)
    /// for another vector v.
    double hermiticity() {
        fill(u_, [&](const Index4& site) { return of_.problem->random(1, site); });
        of_.dirac->apply(true, u_, w_);
        fill(u_, [&](const Index4& site) { return reflected(of_.problem->random(1, site)); });
        of_.dirac->apply(false, u_, v_);
        const double pointwise =
            difference([&](const Place& place, const Index4&) { return reflected(at(v_, place)); });
        fill(u_, [&](const Index4& site) { return of_.problem->random(2, site); });
        of_.dirac->apply(false, u_, v_);
        Complex left = 0;
        Complex right = 0;
        double whole = 0;
        each_site([&](const Place& place, const Index4& site) {
            const Spinor first = of_.problem->random(1, site);
            const Spinor second = at(u_, place);
            const Spinor image = at(w_, place);
            const Spinor image_of_second = at(v_, place);
            for (std::size_t k = 0; k < first.size(); ++k) {
                left += times(std::conj(image[k]), second[k]);
                right += times(std::conj(first[k]), image_of_second[k]);
                whole += std::norm(first[k]);
            }
        });
        const Complex apart = left - right;
        std::array<double, 3> sums{apart.real(), apart.imag(), whole};
        MPI_Allreduce(MPI_IN_PLACE, sums.data(), 3, MPI_DOUBLE, MPI_SUM, of_.ranks.communicator);
        return greater(pointwise, std::hypot(sums[0], sums[1]) / sums[2]);
    }

    /// Error of D after a gauge transform; the links stay transformed.
    double covariance() {
        fill(u_, [&](const Index4& site) { return of_.problem->random(1, site); });
        of_.dirac->apply(false, u_, v_);
        of_.links->fill([&](const Index4& site, std::size_t axis) { return of_.problem->transformed_link(site, axis); },
                        of_.settings->antiperiodic);
        fill(u_, [&](const Index4& site) { return of_.problem->transformed(site, of_.problem->random(1, site)); });
        of_.dirac->apply(false, u_, w_);
        return difference(
            [&](const Place& place, const Index4& site) { return of_.problem->transformed(site, at(v_, place)); });
    }

    /// Error of the solution on links after a gauge transform.
    double gauge() {
        fill(u_, [&](const Index4& site) { return of_.problem->transformed(site, of_.problem->source(site)); });
        // A gauge transform preserves the norm.
        of_.solver->solve(u_, of_.problem->square_bound(), of_.settings->tolerance, of_.settings->iterations, w_);
        return difference(
            [&](const Place& place, const Index4& site) { return of_.problem->transformed(site, at(*of_.x, place)); });
    }

    /// Error of a plane wave on links of 1.
    double plane_wave(const PlaneWave& wave) {
        fill(u_, [&](const Index4& site) { return wave.at(site); });
        of_.dirac->apply(false, u_, w_);
        return difference([&](const Place& place, const Index4&) {
            Spinor expected = at(u_, place);
            for (Complex& component : expected) component = times(wave.eigenvalue, component);
            return expected;
        });
    }

    double plaquette() { return mean_plaquette(*of_.sites, *of_.links, of_.ranks.communicator); }

    std::vector<double> correlations() {
        std::vector<double> sums(static_cast<std::size_t>(of_.settings->extents[3]));
        each_site([&](const Place& place, const Index4& site) {
            for (const Complex& component : at(*of_.x, place))
                sums[static_cast<std::size_t>(site[3])] += std::norm(component);
        });
        add_up(sums);
        return sums;
    }

    void add_up(std::vector<double>& sums) {
        MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM,
                      of_.ranks.communicator);
    }

private:
    static Spinor at(const Full& field, const Place& place) {
        return field[static_cast<std::size_t>(place.parity)].at(place.block, place.lane);
    }

    /// Visits all sites by one thread, so that sums do not depend on the number of threads.
    template <class Body>
    void each_site(Body body) {
        for (int parity = 0; parity < 2; ++parity) {
            for (Index block = 0; block < of_.sites->blocks(); ++block) {
                for (int lane = 0; lane < of_.sites->lanes(); ++lane) {
                    const Place place{parity, block, lane};
                    body(place, of_.sites->torus().global(of_.sites->coordinates(place)));
                }
            }
        }
    }

    template <class Of>
    void fill(Full& field, Of of) {
        for_each_site(*of_.sites, [&](const Place& place, const Index4& site) {
            field[static_cast<std::size_t>(place.parity)].set(place.block, place.lane, of(site));
        });
    }

    static Spinor reflected(Spinor spinor) {
        for (std::size_t k = 6; k < spinor.size(); ++k) spinor[k] = -spinor[k];
        return spinor;
    }

    /// The largest difference between the last image and its expected value, relative to the largest value.
    template <class Expected>
    double difference(Expected expected) {
        double apart = 0;
        double whole = 0;
        each_site([&](const Place& place, const Index4& site) {
            const Spinor image = at(w_, place);
            const Spinor should_be = expected(place, site);
            for (std::size_t k = 0; k < image.size(); ++k) {
                apart = greater(apart, std::abs(image[k] - should_be[k]));
                whole = greater(whole, std::abs(should_be[k]));
            }
        });
        return greatest_of(apart, of_.ranks) / greatest_of(whole, of_.ranks);
    }

    const Judged& of_;
    Full u_, v_, w_;
};

}  // namespace

double allowed_residual(const Settings& s) {
    const double below = 64 * s.kappa * s.kappa;
    return (s.tolerance * (1 + below) * (1 + 8 * s.kappa) + 1e-14) / (1 - below);
}

double allowed_correlator(const Settings& s) {
    const double least = 1 - 8 * s.kappa;
    return 2 * allowed_residual(s) / (least * least);
}

Truths judge(const Judged& judged) {
    const Settings& s = *judged.settings;
    Judge judge(judged);
    Truths truths;
    truths.residual = judge.residual();
    truths.hermiticity = judge.hermiticity();
    truths.correlations = judge.correlations();
    if (s.is_free() && s.is_point()) {
        std::vector<double> expected =
            free_correlator(s.extents, s.antiperiodic, s.kappa, judged.ranks.rank, judged.ranks.count);
        judge.add_up(expected);
        double apart = 0;
        for (std::size_t t = 0; t < expected.size(); ++t) {
            apart = greater(apart, std::abs(truths.correlations[t] - expected[t]) / expected[0]);
        }
        truths.correlator = apart;
    }
    truths.plaquette = judge.plaquette();
    truths.covariance = judge.covariance();
    truths.plaquette_change = judge.plaquette() - truths.plaquette;
    if (s.check_gauge) truths.gauge = judge.gauge();
    judged.links->fill([](const Index4&, std::size_t) { return unit_matrix(); }, s.antiperiodic);
    const PlaneWave first = plane_wave(s.extents, {1, 0, 1, 3}, s.antiperiodic, s.kappa);
    const PlaneWave second = plane_wave(s.extents, {1, 1, 1, 1}, s.antiperiodic, s.kappa);
    truths.plane_wave = greater(judge.plane_wave(first), judge.plane_wave(second));
    truths.eigenvalue = first.eigenvalue;
    return truths;
}

}  // namespace waywiser::lattice
