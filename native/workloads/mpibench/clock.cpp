#include "workloads/mpibench/clock.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <thread>

namespace waywiser::mpibench {
namespace {

constexpr int ping_pongs = 100;

}  // namespace

TimeSource best_time_source() { return has_steady_counter() ? TimeSource::counter : TimeSource::monotonic; }

std::int64_t monotonic_ns() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TickClock::TickClock(TimeSource source) : source_(source) {
    if (source != TimeSource::counter) return;
    const std::int64_t start_ns = monotonic_ns();
    const std::int64_t start = now();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::int64_t end_ns = monotonic_ns();
    ns_per_tick_ = static_cast<double>(end_ns - start_ns) / static_cast<double>(now() - start);
}

double TickClock::cost_ns() const {
    std::array<std::int64_t, 1001> stamps{};
    for (std::int64_t& stamp : stamps) stamp = now();
    for (std::size_t i = 0; i + 1 < stamps.size(); ++i) stamps[i] = stamps[i + 1] - stamps[i];
    const auto middle = stamps.begin() + (stamps.size() - 1) / 2;
    std::nth_element(stamps.begin(), middle, stamps.end() - 1);
    return static_cast<double>(*middle) * ns_per_tick_;
}

GlobalClock::GlobalClock(const TickClock& clock) : clock_(clock) {
    model_.origin = clock_.now();
    model_.ns_per_tick = clock_.ns_per_tick();
}

GlobalClock::GlobalClock(const TickClock& clock, MPI_Comm ranks, bool separate) : GlobalClock(clock) {
    int rank = 0;
    MPI_Comm_rank(ranks, &rank);
    if (separate) {
        MPI_Comm_split(ranks, rank, 0, &host_);
    } else {
        MPI_Comm_split_type(ranks, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host_);
    }
    int host_rank = 0;
    MPI_Comm_rank(host_, &host_rank);
    MPI_Comm_split(ranks, host_rank == 0 ? 0 : MPI_UNDEFINED, rank, &leaders_);
    if (leaders_ != MPI_COMM_NULL) MPI_Comm_size(leaders_, &hosts_);
    MPI_Bcast(&hosts_, 1, MPI_INT, 0, host_);
    synchronise();
    if (hosts_ == 1) return;
    // Over this time, offsets with an error of 100 ns give a drift with an error of about one millionth.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    synchronise();
}

GlobalClock::~GlobalClock() {
    if (host_ != MPI_COMM_NULL) MPI_Comm_free(&host_);
    if (leaders_ != MPI_COMM_NULL) MPI_Comm_free(&leaders_);
}

void GlobalClock::answer(int leader) const {
    for (int i = 0; i < ping_pongs; ++i) {
        MPI_Recv(nullptr, 0, MPI_BYTE, leader, 0, leaders_, MPI_STATUS_IGNORE);
        const double now = own_ns(clock_.now());
        MPI_Send(&now, 1, MPI_DOUBLE, leader, 0, leaders_);
    }
}

void GlobalClock::measure_offset() {
    double fastest_ns = std::numeric_limits<double>::max();
    for (int i = 0; i < ping_pongs; ++i) {
        double reference = 0;
        const double sent = own_ns(clock_.now());
        MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, leaders_);
        MPI_Recv(&reference, 1, MPI_DOUBLE, 0, 0, leaders_, MPI_STATUS_IGNORE);
        const double received = own_ns(clock_.now());
        if (received - sent >= fastest_ns) continue;
        fastest_ns = received - sent;
        model_.measured_ns = sent + fastest_ns / 2;
        model_.offset_ns = reference - model_.measured_ns;
        model_.error_ns = fastest_ns / 2;
    }
    if (first_measured_ns_ < 0) {
        first_measured_ns_ = model_.measured_ns;
        first_offset_ns_ = model_.offset_ns;
        first_error_ns_ = model_.error_ns;
    } else {
        const double apart_ns = model_.measured_ns - first_measured_ns_;
        model_.drift = (model_.offset_ns - first_offset_ns_) / apart_ns;
        model_.drift_error = (model_.error_ns + first_error_ns_) / apart_ns;
    }
}

void GlobalClock::synchronise() {
    if (host_ == MPI_COMM_NULL) return;
    if (leaders_ != MPI_COMM_NULL) {
        int leader = 0;
        MPI_Comm_rank(leaders_, &leader);
        for (int host = 1; leader == 0 && host < hosts_; ++host) answer(host);
        if (leader != 0) measure_offset();
    }
    MPI_Bcast(&model_, sizeof model_, MPI_BYTE, 0, host_);
}

double GlobalClock::spread_ns(MPI_Comm ranks) const {
    std::int64_t moment = clock_.now();
    MPI_Bcast(&moment, 1, MPI_INT64_T, 0, ranks);
    const double own = global_ns(moment);
    double reference = own;
    MPI_Bcast(&reference, 1, MPI_DOUBLE, 0, ranks);
    double spread = std::abs(own - reference);
    MPI_Allreduce(MPI_IN_PLACE, &spread, 1, MPI_DOUBLE, MPI_MAX, ranks);
    return spread;
}

std::int64_t GlobalClock::ticks_at(double global) const {
    // This is the inverse of global_ns().
    const double own = (global - model_.offset_ns + model_.drift * model_.measured_ns) / (1 + model_.drift);
    return model_.origin + static_cast<std::int64_t>(std::ceil(own / model_.ns_per_tick));
}

}  // namespace waywiser::mpibench
