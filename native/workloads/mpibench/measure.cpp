#include "workloads/mpibench/measure.hpp"

#include "workloads/mpibench/peers.hpp"
#include "workloads/mpibench/validation.hpp"

#include <algorithm>
#include <array>
#include <thread>

namespace waywiser::mpibench {
namespace {

struct Start {
    std::int64_t ticks;
    bool late = false;
};

/// The latest of the ranks' current times on the global clock.
double latest_ns(const GlobalClock& clock, MPI_Comm ranks) {
    const double now = clock.global_ns(clock.ticks().now());
    double latest = 0;
    MPI_Allreduce(&now, &latest, 1, MPI_DOUBLE, MPI_MAX, ranks);
    return latest;
}

/// Time within which nearly every rank learns of an agreement: twice the 90th percentile, on the slowest rank.
double lead_ns(const GlobalClock& clock, MPI_Comm ranks) {
    // A rank without a core of its own may be delayed arbitrarily; its iterations count as late.
    constexpr double most_ns = 1e7;
    std::array<double, 50> delays{};
    for (double& delay : delays) {
        const double latest = latest_ns(clock, ranks);
        delay = clock.global_ns(clock.ticks().now()) - latest;
    }
    std::ranges::nth_element(delays, delays.begin() + 45);
    double slowest = 0;
    MPI_Allreduce(&delays[45], &slowest, 1, MPI_DOUBLE, MPI_MAX, ranks);
    return std::clamp(2 * slowest, 0.0, most_ns);
}

/// Starts iterations according to the method.
class Gate {
public:
    Gate(const Benchmark& benchmark, const Call& call, const Plan& plan, const GlobalClock& clock)
        : clock_(clock),
          ranks_(call.ranks),
          window_(benchmark.group == Group::all && plan.method == Method::window),
          barrier_before_(benchmark.group == Group::all && plan.method == Method::barrier),
          barrier_after_(!benchmark.unbroken && peers_estimator(plan.method)),
          lead_ns_(window_ ? lead_ns(clock, call.ranks) : 0),
          between_(barriers_of(plan.method).between),
          yield_ticks_(static_cast<std::int64_t>(yield_ns / clock.ticks().ns_per_tick())) {
        barrier(barriers_of(plan.method).before);
    }

    /// Called between the warm-up and the timed iterations.
    void begin() const { barrier(between_); }

    [[nodiscard]] Start open() const {
        if (window_) return common_start();
        if (barrier_before_) MPI_Barrier(ranks_);
        return {clock_.ticks().now()};
    }

    void close() const {
        if (barrier_after_) MPI_Barrier(ranks_);
    }

private:
    /// A rank that waits longer than this for the start yields its core to other processes.
    static constexpr double yield_ns = 2000;

    void barrier(int times) const {
        for (int i = 0; i < times; ++i) MPI_Barrier(ranks_);
    }

    [[nodiscard]] Start common_start() const {
        const std::int64_t start = clock_.ticks_at(latest_ns(clock_, ranks_) + lead_ns_);
        std::int64_t now = clock_.ticks().now();
        const bool late = now > start;
        while (now < start) {
            if (start - now > yield_ticks_) std::this_thread::yield();
            now = clock_.ticks().now();
        }
        return {start, late};
    }

    const GlobalClock& clock_;
    MPI_Comm ranks_;
    bool window_;
    bool barrier_before_;
    bool barrier_after_;
    double lead_ns_;
    int between_;
    std::int64_t yield_ticks_;
};

bool takes_part(const Benchmark& benchmark, const Call& call) {
    return benchmark.group == Group::all || call.partner != MPI_PROC_NULL;
}

bool holds_watch(const Benchmark& benchmark, const Call& call) { return benchmark.group == Group::all || call.first; }

/// True if the method's suite takes no time stamps between this rank's iterations.
bool only_loop(const Benchmark& benchmark, const Call& call, const Plan& plan) {
    if (plan.check) return false;
    return (plan.method == Method::imb && benchmark.unbroken) ||
           (plan.method == Method::osu && !holds_watch(benchmark, call));
}

/// Measures the mean time of a loop without time stamps in the loop.
Times measure_loop(const Benchmark& benchmark, Call& call, const Plan& plan, const TickClock& clock, const Gate& gate) {
    Times times;
    for (std::int64_t i = 0; i < plan.warmup; ++i) benchmark.run(call);
    gate.begin();
    const std::int64_t start = clock.now();
    for (std::int64_t i = 0; i < plan.iterations; ++i) benchmark.run(call);
    const auto ticks = static_cast<double>(clock.now() - start);
    const double mean_ns = ticks * clock.ns_per_tick() / static_cast<double>(plan.iterations);
    if (holds_watch(benchmark, call)) times.loop_mean_ns = mean_ns * benchmark.share;
    return times;
}

Times measure_iterations(const Benchmark& benchmark, Call& call, const Plan& plan, const GlobalClock& clock,
                         const Gate& gate) {
    Times times;
    const auto iterations = static_cast<std::size_t>(plan.iterations);
    std::vector<std::int64_t> ticks(iterations);
    times.late.resize(iterations);
    for (std::int64_t i = 0; i < plan.warmup + plan.iterations; ++i) {
        if (i == plan.warmup) gate.begin();
        if (plan.check) {
            fill(benchmark, call, i);
            if (benchmark.settle != nullptr) benchmark.settle(call);
        }
        const Start start = gate.open();
        benchmark.run(call);
        const std::int64_t end = clock.ticks().now();
        if (i >= plan.warmup) {
            const auto timed = static_cast<std::size_t>(i - plan.warmup);
            ticks[timed] = end - start.ticks;
            times.late[timed] = start.late ? 1 : 0;
        }
        gate.close();
        if (plan.check) {
            if (benchmark.settle != nullptr) benchmark.settle(call);
            const bool right = benchmark.holds != nullptr ? benchmark.holds(call) : holds(benchmark, call, i);
            times.held = right && times.held;
        }
    }
    if (!holds_watch(benchmark, call)) return times;
    const double ns_per_tick = clock.ticks().ns_per_tick() * benchmark.share;
    times.ns.reserve(iterations);
    for (const std::int64_t t : ticks) times.ns.push_back(static_cast<double>(t) * ns_per_tick);
    return times;
}

}  // namespace

Times measure(const Benchmark& benchmark, Call& call, const Plan& plan, const GlobalClock& clock) {
    if (benchmark.run == nullptr) return {.ns = {call.init_ns}, .late = {}};
    const Gate gate(benchmark, call, plan, clock);
    if (!takes_part(benchmark, call)) {
        gate.begin();
        return {};
    }
    const std::int64_t start = monotonic_ns();
    Times times = benchmark.loop != nullptr          ? benchmark.loop(call, plan, clock)
                  : only_loop(benchmark, call, plan) ? measure_loop(benchmark, call, plan, clock.ticks(), gate)
                                                     : measure_iterations(benchmark, call, plan, clock, gate);
    times.whole_ns = static_cast<double>(monotonic_ns() - start);
    return times;
}

Plan affordable(const Plan& plan, double seconds, const Benchmark& benchmark, Call& call, const GlobalClock& clock) {
    constexpr std::int64_t least = 10;
    const std::int64_t all = plan.warmup + plan.iterations;
    if (benchmark.run == nullptr || all <= least) return plan;
    Plan trial = plan;
    trial.warmup = 0;
    trial.iterations = least;
    const double own_ns = measure(benchmark, call, trial, clock).whole_ns / least;
    double slowest_ns = 0;
    MPI_Allreduce(&own_ns, &slowest_ns, 1, MPI_DOUBLE, MPI_MAX, call.ranks);
    const double share = 1e9 * seconds / (slowest_ns * static_cast<double>(all));
    if (share >= 1) return plan;
    const auto part = [&](std::int64_t n) { return static_cast<std::int64_t>(share * static_cast<double>(n)); };
    Plan shorter = plan;
    shorter.iterations = std::clamp(part(plan.iterations), std::min(least, plan.iterations), plan.iterations);
    shorter.warmup = part(plan.warmup);
    return shorter;
}

}  // namespace waywiser::mpibench
