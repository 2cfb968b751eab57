#include "workloads/propa/shot.hpp"

#include "workloads/common/denormals.hpp"
#include "workloads/common/stopwatch.hpp"

#include <algorithm>

namespace waywiser::propa {
namespace {

Absorption absorption(const Settings& settings, const Survey& survey, const Medium& medium) {
    return {.width = settings.modelling.layer,
            .order = static_cast<int>(settings.order),
            .spacings_m = survey.spacings_m,
            .fastest_m_s = medium.fastest_m_s,
            .frequency_Hz = settings.modelling.frequency_Hz,
            .dt_s = settings.dt};
}

/// Sets the factor to (c dt)^2 at every inner point, and to 0 in the halo.
template <class Real>
void fill_factor(Grid<Real>& factor, const Medium& medium, double dt_s) {
    const Index3& n = factor.inner();
    factor.fill([&](Index i1, Index i2, Index i3) {
        const bool inner = i1 >= 0 && i1 < n[0] && i2 >= 0 && i2 < n[1] && i3 >= 0 && i3 < n[2];
        if (!inner) return 0.0;
        const auto at = static_cast<std::size_t>(i1 + n[0] * (i2 + n[1] * i3));
        const double c = medium.velocities_m_s.empty() ? medium.fastest_m_s : medium.velocities_m_s[at];
        return c * c * dt_s * dt_s;
    });
}

}  // namespace

template <class Real>
Shot<Real>::Shot(const Settings& settings, const Survey& survey, const Medium& medium, const Cartesian& cartesian,
                 const Ranks& ranks)
    : settings_(settings),
      survey_(survey),
      cartesian_(cartesian),
      ranks_(ranks),
      waves_(settings, cartesian, ranks.communicator),
      layers_(cartesian, absorption(settings, survey, medium), settings.absorbing_faces()),
      source_(local(survey.source)) {
    flush_denormals();
    waves_.spacings = survey.spacings_m;
    fill_factor(waves_.factor, medium, settings.dt);
    if (!source_) return;
    const auto& h = survey.spacings_m;
    source_scale_ =
        static_cast<double>(waves_.factor.at((*source_)[0], (*source_)[1], (*source_)[2])) / (h[0] * h[1] * h[2]);
}

template <class Real>
void Shot<Real>::start(const Candidate<Real>& candidate) {
    propagator_ = candidate.variant->make(waves_, candidate.block);
    for (Grid<Real>* grid : {&waves_.previous, &waves_.current}) grid->fill([](Index, Index, Index) { return 0; });
    layers_.clear();
    step_ = 0;
    layers_s_ = 0;
    recorded_.assign(survey_.receivers.size() * static_cast<std::size_t>(settings_.steps), 0);
}

template <class Real>
void Shot<Real>::advance(Index steps) {
    for (Index i = 0; i < steps; ++i, ++step_) {
        record();
        propagator_->put();
        propagator_->advance(1);
        propagator_->get();
        Stopwatch watch;
        layers_.apply(waves_.previous, waves_.factor, waves_.current);
        layers_s_ += watch.lap_s();
        if (source_) {
            const auto& [i1, i2, i3] = *source_;
            const double time_s = static_cast<double>(step_) * settings_.dt;
            waves_.current.at(i1, i2, i3) +=
                static_cast<Real>(source_scale_ * ricker(settings_.modelling.frequency_Hz, time_s));
        }
        waves_.surface.apply(waves_.current);
    }
}

template <class Real>
void Shot<Real>::record() {
    for (std::size_t i = 0; i < survey_.receivers.size() && step_ < settings_.steps; ++i) {
        const std::optional<Index3> at = local(survey_.receivers[i]);
        if (!at) continue;
        recorded_[i * static_cast<std::size_t>(settings_.steps) + static_cast<std::size_t>(step_)] =
            static_cast<double>(waves_.current.at((*at)[0], (*at)[1], (*at)[2]));
    }
}

template <class Real>
std::vector<double> Shot<Real>::traces() const {
    std::vector<double> all = recorded_;
    // A message has at most 2^31 - 1 values.
    constexpr std::size_t most = std::size_t{1} << 24;
    for (std::size_t begin = 0; begin < all.size(); begin += most) {
        const auto count = static_cast<int>(std::min(most, all.size() - begin));
        MPI_Allreduce(MPI_IN_PLACE, all.data() + begin, count, MPI_DOUBLE, MPI_SUM, ranks_.communicator);
    }
    return all;
}

template <class Real>
void Shot<Real>::write_snapshot(NpyFields<Real>& file) const {
    const Index3& n = waves_.current.inner();
    std::vector<Real> values;
    values.reserve(static_cast<std::size_t>(n[0] * n[1] * n[2]));
    for (Index i3 = 0; i3 < n[2]; ++i3) {
        for (Index i2 = 0; i2 < n[1]; ++i2) {
            const Real* row = waves_.current.row(i2, i3);
            values.insert(values.end(), row, row + n[0]);
        }
    }
    file.write(values);
}

template <class Real>
std::optional<Index3> Shot<Real>::local(const Index3& point) const {
    Index3 local_point{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        local_point[axis] = point[axis] - cartesian_.owned().lo[axis];
        if (local_point[axis] < 0 || local_point[axis] >= cartesian_.owned_points()[axis]) return {};
    }
    return local_point;
}

template class Shot<float>;
template class Shot<double>;

}  // namespace waywiser::propa
