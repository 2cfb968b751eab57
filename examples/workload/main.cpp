// ww-jacobi, the skeleton of a workload: sweeps of Jacobi's method along a line that is cut among the ranks.
#include "workloads/common/results.hpp"
#include "workloads/common/roofline.hpp"
#include "workloads/common/text.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/common/variants.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace {

using namespace waywiser;

// Options: each writes into a variable, whose value is the default. KernelSettings has those that all kernels share.
struct Settings : KernelSettings {
    Settings() {
        points = {100'000, 1, 1};
        variant = "all";
    }
};

Options options_of(Settings& s) {
    Options options("ww-jacobi", "sweeps of Jacobi's method along a line, next_i = (u_i-1 + u_i+1) / 2.");
    options.add_count("points", s.points[0], 1, 1'000'000'000, "points of each rank; default 100000");
    add_variants(options, s, "plain, threads", "who sweeps");
    add_running(options, s, "timed sweeps of each, after one to warm up; default 10");
    return options;
}

// The kernel: a rank's points from 1 to n, and a point of each neighbour.
template <class Real>
using Line = std::vector<Real>;

template <class Real>
void sweep(const Line<Real>& u, Line<Real>& next, bool by_threads) {
#pragma omp parallel for if (by_threads)
    for (std::size_t i = 1; i < u.size() - 1; ++i) next[i] = (u[i - 1] + u[i + 1]) / 2;
}

// Variants: each says whether it can run here.
struct Variant {
    std::string_view name;
    bool by_threads;
    bool (*supported)();
};

constexpr Variant variants[] = {
    {"plain", false, [] { return true; }},
    {"threads", true, [] { return thread_limit() > 1; }},
};

// The table: a column shows a value of the sample by its key.
constexpr Column columns[] = {
    {"variant", "%-10s", "variant", "who sweeps"},
    median_s,
    min_s,
    max_s,
    {"GPoint/s", "%10.3f", "points/s", "points of all ranks", 1e-9},
    {"GB/s", "%9.2f", "bytes/s", "bytes to and from memory", 1e-9},
    of_roofline,
    {"error", "%10.2e", "error", "greatest of any point, from the exact result"},
};

/// The oracle: a sweep multiplies the sine that is 0 at both ends of the whole line by a cosine.
struct Sine {
    std::int64_t first;  ///< number of the rank's point 0 in the whole line
    double angle;        ///< between points

    [[nodiscard]] double at(std::size_t i) const {
        return std::sin(angle * static_cast<double>(first + static_cast<std::int64_t>(i)));
    }
    template <class Real>
    [[nodiscard]] double error_of(const Line<Real>& next) const {
        double greatest = 0;
        for (std::size_t i = 1; i < next.size() - 1; ++i) {
            const double error = std::abs(static_cast<double>(next[i]) - std::cos(angle) * at(i));
            greatest = error <= greatest ? greatest : error;  // std::max would pass over what is not a number
        }
        return greatest;
    }
};

template <class Real>
void exchange(Line<Real>& u, const Ranks& ranks) {
    const int below = ranks.rank > 0 ? ranks.rank - 1 : MPI_PROC_NULL;
    const int above = ranks.rank + 1 < ranks.count ? ranks.rank + 1 : MPI_PROC_NULL;
    const std::size_t n = u.size() - 2;
    constexpr int bytes = sizeof(Real);
    MPI_Sendrecv(&u[1], bytes, MPI_BYTE, below, 0, &u[n + 1], bytes, MPI_BYTE, above, 0, ranks.communicator,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&u[n], bytes, MPI_BYTE, above, 0, &u[0], bytes, MPI_BYTE, below, 0, ranks.communicator,
                 MPI_STATUS_IGNORE);
}

/// Times a variant, checks every point, and says so in a sample: the JSON object and the line of the table.
template <class Real>
Sample measure(const Settings& s, const Variant& variant, std::int64_t tries, const MachineLimits& limits,
               const Ranks& ranks) {
    const std::int64_t n = s.points[0];
    const std::int64_t points = n * ranks.count;
    const Sine sine{n * ranks.rank, std::numbers::pi / static_cast<double>(points + 1)};
    Line<Real> u(static_cast<std::size_t>(n + 2), 0);
    Line<Real> next = u;
    for (std::size_t i = 1; i < u.size() - 1; ++i) u[i] = static_cast<Real>(sine.at(i));
    const Tries taken = time_tries(tries, ranks.communicator, [&] {
        exchange(u, ranks);
        sweep(u, next, variant.by_threads);
    });
    const double error = greatest(sine.error_of(next), ranks);
    const double allowed = 16.0 * std::numeric_limits<Real>::epsilon();
    const std::int64_t bytes = points * 3 * s.value_bytes();  // u, and next with its write-allocate
    Sample sample{.variant = std::string(variant.name),
                  .phase = "sweep",
                  .parameters = {{"points", n}, {"precision", s.precision}, {"tries", tries}},
                  .bytes = bytes,
                  .flops = 2 * points,
                  .points = points,
                  .error = error,
                  .failure = error <= allowed ? "" : text("the error is %.1e, and may be %.1e", error, allowed),
                  .details = {{"error_allowed", allowed}}};
    add_tries(sample, taken);
    add_roofline(sample, bytes, MemoryBound::copy, limits);
    return sample;
}

template <class Real>
ExitCode run(const Settings& s, const Ranks& ranks) {
    require_variant<Variant>(variants, s.variant);
    Results results("jacobi", columns, s.json, ranks);
    const MachineLimits limits = measure_limits<Real>(s.points[0], ranks.communicator);
    results.begin(text("%lld points of %s on each of %d rank(s)\n", s.points[0], s.precision, ranks.count) +
                  summary(limits));
    const std::string key = tuning_key("jacobi", s.precision + ':' + std::to_string(s.points[0]));
    measure_variants(
        results, s, supported<Variant>(variants), key, ranks.communicator,
        [&](const Variant& variant, std::int64_t tries) { return measure<Real>(s, variant, tries, limits, ranks); });
    return results.end();
}

ExitCode jacobi(const Settings& settings, const Ranks& ranks) {
    return settings.single() ? run<float>(settings, ranks) : run<double>(settings, ranks);
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, jacobi, columns); }
