/// One shot of the modelling case on one rank: a source, a medium with absorbing layers, and the recordings.
#pragma once

#include "workloads/common/npy.hpp"
#include "workloads/propa/absorbing.hpp"
#include "workloads/propa/survey.hpp"
#include "workloads/propa/waves.hpp"

#include <optional>
#include <vector>

namespace waywiser::propa {

template <class Real>
class Shot {
public:
    /// Collective.
    /// \param settings  settings, in which `set_time` has set the steps
    /// \throws InvalidInput  if the absorbing layers do not fit; on all ranks
    Shot(const Settings& settings, const Survey& survey, const Medium& medium, const Cartesian& cartesian,
         const Ranks& ranks);

    /// Resets the fields to 0 and discards all recordings.
    void start(const Candidate<Real>& candidate);

    void advance(Index steps);

    /// The pressure at the receivers of all ranks before each step: one value per step, receiver by receiver.
    /// Collective.
    [[nodiscard]] std::vector<double> traces() const;

    void write_snapshot(NpyFields<Real>& file) const;

    [[nodiscard]] Waves<Real>& waves() { return waves_; }
    [[nodiscard]] const AbsorbingLayers<Real>& layers() const { return layers_; }
    /// Time in the layers since `start`, on this rank [s].
    [[nodiscard]] double layers_s() const { return layers_s_; }

private:
    void record();

    /// Local index of a point of the whole grid, if this rank has the point.
    [[nodiscard]] std::optional<Index3> local(const Index3& point) const;

    const Settings& settings_;
    const Survey& survey_;
    const Cartesian& cartesian_;
    const Ranks& ranks_;
    Waves<Real> waves_;
    AbsorbingLayers<Real> layers_;
    std::unique_ptr<Propagator<Real>> propagator_;
    std::optional<Index3> source_;
    double source_scale_ = 0;  ///< (c dt)^2 at the source, divided by the volume of a cell
    Index step_ = 0;
    double layers_s_ = 0;
    std::vector<double> recorded_;  ///< recordings; 0 for receivers of other ranks
};

}  // namespace waywiser::propa
