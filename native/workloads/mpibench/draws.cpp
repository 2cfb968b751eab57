#include "workloads/mpibench/draws.hpp"

#include "workloads/common/text.hpp"
#include "workloads/mpibench/distribution.hpp"
#include "workloads/mpibench/measure.hpp"
#include "workloads/mpibench/tasks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>

namespace waywiser::mpibench {

/// One rank's measurements of a schedule.
struct Schedule {
    double span_ns = 0;  ///< time from the first draw to the draw that found no task
    double draws_ns = 0;
    double longest_draw_ns = 0;
    double tasks_ns = 0;  ///< total duration of tasks
};

struct Draws {
    MPI_Comm ranks = MPI_COMM_NULL;  ///< ranks that share the counter
    int rank = 0;
    int size = 1;
    MPI_Win window = MPI_WIN_NULL;
    std::int64_t drawn = 0;  ///< numbers drawn before the current round
    std::int64_t tasks = 0;  ///< number of tasks in the current round, which start at `drawn`
    Tally tally;             ///< tally of the current round

    double seconds = 0;  ///< time of `counter` until this rank found no task

    // The following are used by the benchmark `dynamic` only.
    std::vector<double> lengths_ns;
    std::vector<Schedule> schedules;  ///< schedules of all iterations
};

namespace {

constexpr int owner = 0;

std::int64_t next_number(const Draws& draws) {
    static constexpr std::int64_t step = 1;
    std::int64_t number = -1;
    MPI_Fetch_and_op(&step, &number, MPI_INT64_T, owner, 0, MPI_SUM, draws.window);
    MPI_Win_flush(owner, draws.window);
    return number;
}

void begin_round(Draws& draws, std::int64_t tasks) {
    draws.tasks = tasks;
    draws.tally = {};
}

/// Called after every rank has drawn one number without a task.
void end_round(Draws& draws) { draws.drawn += draws.tasks + draws.size; }

/// Draws a task of the round; none if no task is left. The round also ends if the counter does not advance.
std::optional<std::int64_t> take_task(Draws& draws) {
    const std::int64_t task = next_number(draws) - draws.drawn;
    if (task < 0 || task >= draws.tasks || draws.tally.count() == draws.tasks) return std::nullopt;
    draws.tally.add(task);
    return task;
}

bool each_drawn_once(Call& call) {
    const Draws& draws = *call.draws;
    const Tally::Missing own = draws.tally.missing(draws.tasks, draws.rank, draws.size);
    std::array missing{own.count, own.sum};
    MPI_Allreduce(MPI_IN_PLACE, missing.data(), 2, MPI_UINT64_T, MPI_SUM, draws.ranks);
    return missing[0] == 0 && missing[1] == 0;
}

void make_counter(Call& call) {
    call.draws = std::make_shared<Draws>();
    Draws& draws = *call.draws;
    if (call.counter_a_node) {
        MPI_Comm_split_type(call.ranks, MPI_COMM_TYPE_SHARED, call.rank, MPI_INFO_NULL, &draws.ranks);
    } else {
        MPI_Comm_dup(call.ranks, &draws.ranks);
    }
    MPI_Comm_rank(draws.ranks, &draws.rank);
    MPI_Comm_size(draws.ranks, &draws.size);
    std::int64_t* counter = nullptr;
    const MPI_Aint bytes = draws.rank == owner ? sizeof *counter : 0;
    MPI_Win_allocate(bytes, sizeof *counter, MPI_INFO_NULL, draws.ranks, static_cast<void*>(&counter), &draws.window);
    MPI_Win_lock_all(0, draws.window);
    if (draws.rank == owner) *counter = 0;
    MPI_Win_sync(draws.window);
    MPI_Barrier(draws.ranks);
}

void make_tasks(Call& call) {
    make_counter(call);
    Draws& draws = *call.draws;
    draws.lengths_ns = task_lengths(call.tasks * draws.size, call.seed);
    for (double& length : draws.lengths_ns) length *= call.task_ns;
}

void free_counter(Call& call) {
    MPI_Win_unlock_all(call.draws->window);
    MPI_Win_free(&call.draws->window);
    MPI_Comm_free(&call.draws->ranks);
    call.draws.reset();
}

void draw(Call& call) { next_number(*call.draws); }

/// Draws until no number is left. The number of draws differs between ranks.
Times draw_all(Call& call, const Plan& plan, const GlobalClock& clock) {
    Draws& draws = *call.draws;
    const TickClock& ticks = clock.ticks();
    for (std::int64_t i = 0; i < plan.warmup; ++i) draw(call);
    draws.drawn += plan.warmup * draws.size;
    begin_round(draws, plan.iterations * draws.size);
    std::vector<std::int64_t> ends;
    ends.reserve(static_cast<std::size_t>(plan.iterations));
    MPI_Barrier(call.ranks);
    const std::int64_t start = ticks.now();
    while (take_task(draws)) ends.push_back(ticks.now());
    draws.seconds = 1e-9 * static_cast<double>(ticks.now() - start) * ticks.ns_per_tick();
    Times times;
    times.held = each_drawn_once(call);
    std::int64_t before = start;
    for (const std::int64_t end : ends) {
        times.ns.push_back(static_cast<double>(end - before) * ticks.ns_per_tick());
        before = end;
    }
    end_round(draws);
    return times;
}

double reduced(double value, MPI_Op operation, MPI_Comm ranks) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, operation, ranks);
    return value;
}

std::vector<Metric> counter_metrics(Call& call, std::int64_t, const TickClock&) {
    const Draws& draws = *call.draws;
    const auto own = static_cast<double>(draws.tally.count());
    const double seconds = reduced(draws.seconds, MPI_MAX, call.ranks);
    return {{"draws_per_second", reduced(own, MPI_SUM, call.ranks) / seconds},
            {"least_draws", reduced(own, MPI_MIN, call.ranks)},
            {"most_draws", reduced(own, MPI_MAX, call.ranks)}};
}

/// One iteration of `dynamic`.
void run_tasks(Call& call) {
    Draws& draws = *call.draws;
    begin_round(draws, static_cast<std::int64_t>(draws.lengths_ns.size()));
    Schedule schedule;
    const std::int64_t start = monotonic_ns();
    for (std::int64_t now = start;;) {
        const std::optional<std::int64_t> task = take_task(draws);
        const std::int64_t drawn = monotonic_ns();
        const auto draw_ns = static_cast<double>(drawn - now);
        schedule.draws_ns += draw_ns;
        schedule.longest_draw_ns = std::max(schedule.longest_draw_ns, draw_ns);
        schedule.span_ns = static_cast<double>(drawn - start);
        if (!task) break;
        const double length_ns = draws.lengths_ns[static_cast<std::size_t>(*task)];
        const std::int64_t end = drawn + static_cast<std::int64_t>(length_ns);
        do now = monotonic_ns();
        while (now < end);
        schedule.tasks_ns += static_cast<double>(now - drawn);
    }
    draws.schedules.push_back(schedule);
    end_round(draws);
}

/// Reduces one value of every schedule over all ranks of a communicator.
std::vector<double> over_ranks(std::span<const Schedule> schedules, double Schedule::* value, MPI_Op operation,
                               MPI_Comm ranks) {
    std::vector<double> values;
    for (const Schedule& schedule : schedules) values.push_back(schedule.*value);
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, operation, ranks);
    return values;
}

/// Computes bounds of a schedule, whose ranks are never idle before the last task is drawn: R. L. Graham, "Bounds on
/// multiprocessing timing anomalies", SIAM Journal on Applied Mathematics 17(2), 1969. A draw counts as a part of its
/// task.
std::vector<Metric> dynamic_metrics(Call& call, std::int64_t iterations, const TickClock&) {
    constexpr double tolerance = 1.01;
    Draws& draws = *call.draws;
    const auto schedules = std::span<const Schedule>(draws.schedules).last(static_cast<std::size_t>(iterations));
    const std::vector<double> cost = over_ranks(schedules, &Schedule::draws_ns, MPI_SUM, draws.ranks);
    const std::vector<double> longest_draw = over_ranks(schedules, &Schedule::longest_draw_ns, MPI_MAX, draws.ranks);
    const std::vector<double> span = over_ranks(schedules, &Schedule::span_ns, MPI_MAX, draws.ranks);
    const std::vector<double> took = over_ranks(schedules, &Schedule::tasks_ns, MPI_SUM, draws.ranks);

    const double ranks = draws.size;
    const double work = std::accumulate(draws.lengths_ns.begin(), draws.lengths_ns.end(), 0.0);
    const double longest = std::ranges::max(draws.lengths_ns);
    std::vector<double> bounds;
    double beyond = 0;
    for (std::size_t i = 0; i < schedules.size(); ++i) {
        const double last = (1 - 1 / ranks) * (longest + longest_draw[i]) + longest_draw[i];
        bounds.push_back((work + cost[i]) / ranks + last);
        beyond += span[i] > tolerance * bounds[i] ? 1 : 0;
    }
    std::vector<double> whole = over_ranks(schedules, &Schedule::span_ns, MPI_MAX, call.ranks);
    std::vector<double> draw_share = cost;
    for (double& ns : draw_share) ns /= ranks;
    const double overrun = std::accumulate(took.begin(), took.end(), 0.0) / static_cast<double>(took.size()) / work - 1;
    const auto of_slowest = [&](double value) { return reduced(value, MPI_MAX, call.ranks); };
    return {{"tasks", static_cast<double>(call.tasks * call.size)},
            {"longest_task_ns", of_slowest(longest)},
            {"draws_ns", of_slowest(describe(draw_share).median)},
            {"least_ns", of_slowest(std::max(work / ranks, longest))},
            {"bound_ns", of_slowest(describe(bounds).median)},
            {"beyond_bound", of_slowest(beyond)},
            {"overrun", of_slowest(overrun)},
            {"efficiency", of_slowest(work / ranks) / describe(whole).median}};
}

double value_of(std::span<const Metric> metrics, std::string_view name) {
    return std::ranges::find(metrics, name, &Metric::name)->value;
}

std::string beyond_bound(std::span<const Metric> metrics, std::int64_t iterations) {
    constexpr double held_up = 0.01;
    const double beyond = value_of(metrics, "beyond_bound"), overrun = value_of(metrics, "overrun");
    if (beyond == 0) return "";
    return text(
        "%.0f of %lld schedules took over 1 %% longer than list scheduling allows; tasks took %.1f %% longer "
        "than their lengths%s\n",
        beyond, iterations, 100 * overrun, overrun > held_up ? ": ranks shared cores or were interrupted" : "");
}

constexpr Column counter_columns[] = {{"draws/s", "%12.0f", "draws_per_second", "numbers drawn by all ranks"}};
constexpr Column dynamic_columns[] = {
    {"least", "%12.3f", "least_ns", "least time of any schedule of the tasks", 1e-3},
    {"bound", "%12.3f", "bound_ns", "longest time of list scheduling with the measured draws", 1e-3},
    {"efficiency %", "%12.1f", "efficiency", "share of the ranks' time that the tasks take", 100},
};

constexpr std::array draws_table{
    Benchmark{.name = "counter",
              .moves = "a number drawn from a counter, by MPI_Fetch_and_op and a flush; all ranks until none is left",
              .sends = Blocks::none,
              .receives = Blocks::none,
              .run = draw,
              .loop = draw_all,
              .prepare = make_counter,
              .release = free_counter,
              .holds = each_drawn_once,
              .metrics = counter_metrics,
              .columns = counter_columns},
    Benchmark{.name = "dynamic",
              .moves = "tasks of known lengths, exponentially distributed, drawn from a counter until none is left",
              .sends = Blocks::none,
              .receives = Blocks::none,
              .run = run_tasks,
              .prepare = make_tasks,
              .release = free_counter,
              .holds = each_drawn_once,
              .metrics = dynamic_metrics,
              .columns = dynamic_columns,
              .remark = beyond_bound,
              .schedules = true},
};

}  // namespace

std::span<const Benchmark> drawing_benchmarks() { return draws_table; }

}  // namespace waywiser::mpibench
