#include "workloads/rupture/outputs.hpp"

#include "workloads/common/text.hpp"

#include <cmath>

namespace waywiser::rupture {
namespace {

/// The number of intervals between two outputs.
std::int64_t intervals(const Settings& settings, double every_s) {
    return every_s > 0 && settings.rupture() ? std::llround(every_s / settings.every_s) : 1;
}

std::string named(const std::string& file) { return file.empty() ? "none" : file; }

template <class Archive, class Value>
void pass_all(Archive& archive, std::vector<Value>& values) {
    auto count = static_cast<std::int64_t>(values.size());
    archive(count);
    values.resize(static_cast<std::size_t>(count));
    for (Value& value : values) archive(value);
}

}  // namespace

template <class Real>
Outputs<Real>::Outputs(const Settings& settings, Solver<Real>& solver, double interval_s, const Ranks& ranks)
    : settings_(settings), solver_(solver), ranks_(ranks), identity_(identity(interval_s)) {
    if (!settings.restart.empty()) restore();
    if (!settings.receivers.empty()) {
        receivers_.emplace(settings.receivers, settings.traces, settings.sample_every_s, kept_.traces_bytes, solver,
                           ranks);
    }
    if (!settings.fault_receivers.empty()) {
        fault_receivers_.emplace(settings.fault_receivers, settings.fault_traces, settings.sample_every_s,
                                 kept_.fault_traces_bytes, solver, ranks);
    }
    if (!settings.snapshots.empty()) snapshots_.emplace(settings.snapshots, kept_.snapshots_s, solver, ranks);
    Sampler cells;
    Sampler fault;
    if (receivers_) cells = [&](std::int64_t g, double time, double dt) { receivers_->sample(g, time, dt); };
    if (fault_receivers_)
        fault = [&](std::int64_t g, double time, double dt) { fault_receivers_->sample(g, time, dt); };
    solver.set_samplers(std::move(cells), std::move(fault));
}

template <class Real>
Identity Outputs<Real>::identity(double interval_s) const {
    const Settings& s = settings_;
    return {{"case", s.name},
            {"order", std::to_string(s.order)},
            {"precision", s.precision},
            {"ranks", std::to_string(ranks_.count)},
            {"cells", std::to_string(solver_.all_cells())},
            {"mesh", fingerprint(solver_.mesh(), ranks_)},
            {"--cfl", text("%.12g", s.cfl)},
            {"--every", text("%.12g", interval_s)},
            {"--sample-every", text("%.12g", s.sample_every_s)},
            {"--traces", named(s.traces)},
            {"--fault-traces", named(s.fault_traces)},
            {"--snapshots", named(s.snapshots)}};
}

/// Saves or restores the state in addition to the solution.
template <class Real>
template <class Archive>
void Outputs<Real>::pass(Archive& archive) {
    archive(done_);
    pass_all(archive, energies_);
    archive(kept_.traces_bytes);
    archive(kept_.fault_traces_bytes);
    pass_all(archive, kept_.snapshots_s);
}

template <class Real>
void Outputs<Real>::restore() {
    const std::vector<char> bytes = read_checkpoint(settings_.restart, identity_, ranks_);
    SavedReader saved(bytes);
    pass(saved);
    solver_.restore(saved);
}

template <class Real>
void Outputs<Real>::save() {
    Saved saved;
    pass(saved);
    solver_.save(saved);
    write_checkpoint(settings_.checkpoint, identity_, saved, ranks_);
}

template <class Real>
void Outputs<Real>::write(const std::vector<Energies>& energies) {
    ++done_;
    energies_ = energies;
    if (receivers_) kept_.traces_bytes = receivers_->write();
    if (fault_receivers_) kept_.fault_traces_bytes = fault_receivers_->write();
    if (snapshots_ && done_ % intervals(settings_, settings_.snapshots_every_s) == 0) {
        snapshots_->write();
        kept_.snapshots_s = snapshots_->times_s();
    }
    if (!settings_.checkpoint.empty() && done_ % intervals(settings_, settings_.checkpoint_every_s) == 0) save();
}

template class Outputs<float>;
template class Outputs<double>;

}  // namespace waywiser::rupture
