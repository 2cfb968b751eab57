/// Time stepping of the scheme on one rank, and error and energies of the solution.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/rupture/exchange.hpp"
#include "workloads/rupture/fault_state.hpp"

namespace waywiser::rupture {

/// Energies of the solution, without the initial stress [J, N m].
struct Energies {
    double time_s;
    double elastic_J;
    double kinetic_J;
    double work_J;  ///< work of the traction's change on the fault's slip, which is the energy input
    double moment_Nm;
    double predicted_work_J;  ///< SeisSol's frictional work, see FaultState::predicted_work_J
};

/// Times of one rank since the start [s].
struct PhaseTimes {
    double predict_s = 0;
    double correct_s = 0;
    double fault_s = 0;
    double exchange_s = 0;  ///< packing messages, starting requests and waiting for them
};

template <class Real>
class Solver {
public:
    /// Collective.
    /// \param comm_thread  true: a dedicated thread progresses messages while others compute; requires
    ///                     MPI_THREAD_SERIALIZED
    Solver(MeshPart mesh, const Problem& problem, int order, const Stepping& stepping, bool comm_thread,
           const Ranks& ranks);

    [[nodiscard]] const Clusters& clusters() const { return cells_.clusters; }
    [[nodiscard]] double time_s() const { return time_s_; }
    [[nodiscard]] std::int64_t all_cells() const { return all_cells_; }
    [[nodiscard]] std::int64_t all_fault_faces() const { return all_fault_faces_; }
    [[nodiscard]] const MeshPart& mesh() const { return mesh_; }
    [[nodiscard]] const Reference& reference() const { return reference_; }
    [[nodiscard]] const Tables<Real>& tables() const { return tables_; }
    [[nodiscard]] const Cells<Real>& cells() const { return cells_; }
    [[nodiscard]] const FaultState<Real>& fault() const { return fault_; }
    [[nodiscard]] const PhaseTimes& times() const { return times_; }
    [[nodiscard]] std::int64_t sent_bytes() const { return exchange_.sent_bytes(); }

    /// Advances by the interval after which all cells are at the same time. Collective.
    void advance();
    /// Sets functions that are called for each group of cells before its prediction, and for each group of fault faces
    /// before friction acts. The thread that computes the group calls the function.
    void set_samplers(Sampler cells, Sampler fault) {
        sampler_ = std::move(cells);
        fault_.set_sampler(std::move(fault));
    }
    /// Saves the state for a restart, at a time at which all cells are between steps.
    void save(Saved& saved) const;
    void restore(SavedReader& saved);
    /// Relative error sqrt(sum |q - exact|^2 / sum |exact|^2) over all cells, on all ranks. Collective.
    [[nodiscard]] double error() const;
    /// Collective.
    [[nodiscard]] Energies energies() const;

private:
    void start();
    void step(std::int64_t tick);
    void predict(int cluster, std::int64_t tick, std::int64_t begin, std::int64_t end);
    void correct(int cluster, std::int64_t tick);
    [[nodiscard]] Work<Real> work(std::int64_t group, int cluster, std::int64_t tick);
    [[nodiscard]] double dt(int cluster) const {
        return clusters().dt * static_cast<double>(std::int64_t{1} << cluster);
    }

    MeshPart mesh_;
    const Problem& problem_;
    Ranks ranks_;
    Reference reference_;
    Tables<Real> tables_;
    Kernels<Real> kernels_;
    Cells<Real> cells_;
    FaultState<Real> fault_;
    Messenger messenger_;
    Exchange<Real> exchange_;
    Array<Real> scratch_;  ///< scratch memory of each thread
    Sampler sampler_;
    PhaseTimes times_;
    std::int64_t all_cells_;
    std::int64_t all_fault_faces_;
    double time_s_ = 0;
};

}  // namespace waywiser::rupture
