/// Output during a run: receivers' recordings, snapshots, checkpoints; and the continuation from a checkpoint.
#pragma once

#include "workloads/rupture/checkpoint.hpp"
#include "workloads/rupture/receivers.hpp"
#include "workloads/rupture/settings.hpp"
#include "workloads/rupture/surfaces.hpp"

#include <optional>

namespace waywiser::rupture {

/// Writes the outputs that the settings request. The object must live until the solver's last step.
template <class Real>
class Outputs {
public:
    /// Continues from a checkpoint if one is requested. Collective.
    /// \param interval_s  interval between calls of `write`
    /// \throws InvalidInput  on all ranks, if a file cannot be read or written, or belongs to another run
    Outputs(const Settings& settings, Solver<Real>& solver, double interval_s, const Ranks& ranks);

    /// Completed intervals of the run that is continued, and energies at their ends.
    [[nodiscard]] std::int64_t done() const { return done_; }
    [[nodiscard]] const std::vector<Energies>& energies() const { return energies_; }
    [[nodiscard]] const std::vector<double>& snapshots_s() const { return kept_.snapshots_s; }

    /// Writes the outputs of another interval. Collective.
    /// \param energies  energies at all times so far, including times before a restart
    void write(const std::vector<Energies>& energies);

private:
    /// Sizes of the trace files, on rank 0, and times of snapshots, which a restart keeps.
    struct Kept {
        std::int64_t traces_bytes = 0;
        std::int64_t fault_traces_bytes = 0;
        std::vector<double> snapshots_s;
    };

    [[nodiscard]] Identity identity(double interval_s) const;
    void restore();
    void save();
    template <class Archive>
    void pass(Archive& archive);

    const Settings& settings_;
    Solver<Real>& solver_;
    Ranks ranks_;
    Identity identity_;
    Kept kept_;
    std::int64_t done_ = 0;
    std::vector<Energies> energies_;
    std::optional<Receivers<Real>> receivers_;
    std::optional<FaultReceivers<Real>> fault_receivers_;
    std::optional<Snapshots<Real>> snapshots_;
};

}  // namespace waywiser::rupture
