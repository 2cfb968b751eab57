/// Time stamps of a rank, and the estimate of rank 0's clock by which all ranks start at the same time.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/counter.hpp"

namespace waywiser::mpibench {

/// The source of time stamps. `peer` is MPI_Wtime, whose cost is part of what OSU's and IMB's programs report.
enum class TimeSource { counter, monotonic, peer };

/// Returns the processor's counter if it is invariant (same rate in every power state, on all cores), otherwise the
/// monotonic clock. A stamp of the counter costs a third of a stamp of the monotonic clock.
[[nodiscard]] TimeSource best_time_source();

[[nodiscard]] std::int64_t monotonic_ns();

/// Ticks of one source, which are comparable between ranks of one host.
class TickClock {
public:
    /// Takes 20 ms for the counter, whose rate is measured against the monotonic clock.
    explicit TickClock(TimeSource source);

    [[nodiscard]] std::int64_t now() const {
        if (source_ == TimeSource::counter) return static_cast<std::int64_t>(counter_in_order());
        return source_ == TimeSource::peer ? static_cast<std::int64_t>(MPI_Wtime() * 1e9) : monotonic_ns();
    }

    [[nodiscard]] double ns_per_tick() const { return ns_per_tick_; }

    /// Median time between two consecutive stamps, which a stamp adds to a measurement [ns].
    [[nodiscard]] double cost_ns() const;

private:
    TimeSource source_;
    double ns_per_tick_ = 1;
};

/// This rank's estimate of rank 0's clock: own time, plus an offset that grows with a constant drift.
///
/// The ranks of a host share a clock. One rank of each host exchanges ping-pongs with rank 0 and takes the offset of
/// the fastest ping-pong, whose error is at most half its round trip. The drift is the slope between the first and the
/// latest offset. Its error is at most the sum of the offsets' errors divided by the time between them. Sources: S.
/// Hunold and A. Carpen-Amarie, "MPI Benchmarking Revisited: Experimental Design and Reproducibility",
/// arXiv:1505.07734, 2015; by the same authors, "Hierarchical Clock Synchronization in MPI", IEEE CLUSTER 2018 (one
/// rank per host).
class GlobalClock {
public:
    /// A rank's own clock without an estimate and without communicators, for measurements without a common start.
    explicit GlobalClock(const TickClock& clock);

    /// Creates the clock. Collective.
    /// \param separate  true: treats every rank as its own host, so that the estimate can be compared with the truth
    GlobalClock(const TickClock& clock, MPI_Comm ranks, bool separate);
    GlobalClock(const GlobalClock&) = delete;
    GlobalClock& operator=(const GlobalClock&) = delete;
    ~GlobalClock();

    /// Measures the offset again if there is an estimate. Collective.
    void synchronise();

    [[nodiscard]] double global_ns(std::int64_t ticks) const {
        const double own = own_ns(ticks);
        return own + model_.offset_ns + model_.drift * (own - model_.measured_ns);
    }
    /// The first tick that is not before this global time.
    [[nodiscard]] std::int64_t ticks_at(double global) const;

    /// Largest difference between the ranks' estimates of one moment and rank 0's [ns]. Collective. The difference is
    /// the true error of the estimate if all ranks read the same counter, as on one host; otherwise, it has no meaning.
    [[nodiscard]] double spread_ns(MPI_Comm ranks) const;

    [[nodiscard]] const TickClock& ticks() const { return clock_; }
    /// Bound of global_ns's error at a moment after the latest measurement, from the offset and the drift since then.
    /// The bound is 0 if the clock is shared with rank 0 or there is no estimate.
    [[nodiscard]] double error_ns(std::int64_t ticks) const {
        return model_.error_ns + model_.drift_error * (own_ns(ticks) - model_.measured_ns);
    }

private:
    struct Model {
        std::int64_t origin = 0;  ///< ticks at which a host's own time is 0
        double ns_per_tick = 1;
        double offset_ns = 0;
        double measured_ns = 0;  ///< own time at which the offset was measured
        double drift = 0;
        double error_ns = 0;     ///< bound of the offset's error at the time of its measurement
        double drift_error = 0;  ///< bound of the drift's error
    };

    [[nodiscard]] double own_ns(std::int64_t ticks) const {
        return static_cast<double>(ticks - model_.origin) * model_.ns_per_tick;
    }
    void answer(int leader) const;
    void measure_offset();

    TickClock clock_;
    MPI_Comm host_ = MPI_COMM_NULL;
    MPI_Comm leaders_ = MPI_COMM_NULL;  ///< null on ranks that do not represent a host
    int hosts_ = 1;
    Model model_;
    double first_offset_ns_ = 0;
    double first_error_ns_ = 0;
    double first_measured_ns_ = -1;  ///< negative before the first measurement
};

}  // namespace waywiser::mpibench
