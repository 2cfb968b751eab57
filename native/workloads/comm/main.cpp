// ww-comm: time of a halo exchange for every decomposition of the ranks and every method of sending messages.
#include "base/error.hpp"
#include "workloads/comm/exchanges.hpp"
#include "workloads/common/binding.hpp"
#include "workloads/common/faces.hpp"
#include "workloads/common/kernel_options.hpp"
#include "workloads/common/named.hpp"
#include "workloads/common/results.hpp"
#include "workloads/common/roofline.hpp"
#include "workloads/common/text.hpp"
#include "workloads/common/tries.hpp"

#include <algorithm>
#include <sstream>

namespace {

using namespace waywiser;
using namespace waywiser::comm;

/// Settings of ww-comm. An axis without a given number of ranks takes every number that divides.
struct Settings : KernelSettings {
    Settings() {
        points[0] = 128;
        variant = "all";
        tries = 20;
    }

    std::string order_text = "2,4,8,16";
    std::vector<Index> orders;  ///< replaces `order`; empty until `complete` reads `order_text`
};

Options options_of(Settings& s) {
    Options options("ww-comm",
                    "halo exchange for every decomposition of the ranks, after hpcscan's case Comm.\n"
                    "Messages between pairs of ranks are ww-mpibench's, with --pairs.");
    add_points(options, s, 1, "points of the whole grid on axis 1");
    add_cut(options, s, "every number that divides");
    options.add_text("orders", s.order_text, "even numbers from 2 to 16, as 2,8",
                     "orders of the differences, each with a halo half as wide; default 2,4,8,16");
    options.add_text("variant", s.variant, "sendrecv, nonblocking, persistent, neighbourhood or all",
                     "method of sending messages; default all");
    add_running(options, s, "timed exchanges of each, after one to warm up; default 20");
    return options;
}

std::vector<Index> read_orders(const std::string& text) {
    std::vector<Index> orders;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        std::istringstream digits(word);
        Index order = 0;
        const bool whole = (digits >> order) && digits.peek() == std::istringstream::traits_type::eof();
        require(whole && order >= 2 && order <= 16 && order % 2 == 0,
                "--orders '" + word + "': expected even numbers from 2 to 16, as 2,8");
        orders.push_back(order);
    }
    return orders;
}

void complete(Settings& s) {
    s.orders = read_orders(s.order_text);
    waywiser::complete(s);
}

constexpr Column columns[] = {
    {"ranks", "%-14s", "ranks", "ranks on each axis"},
    {"order", "%5lld", "order", "order of the differences; the halo is half as wide"},
    {"variant", "%-14s", "variant", "method of sending messages"},
    {"message B", "%12lld", "largest_message_bytes", "bytes of the largest message"},
    {"messages", "%9lld", "messages", "messages of all ranks in an exchange"},
    {"median us", "%11.2f", "seconds", "microseconds of the slowest rank, median of the tries", 1e6},
    {"min us", "%11.2f", "least_s", "the fastest try", 1e6},
    {"max us", "%11.2f", "greatest_s", "the slowest try", 1e6},
    {"GB/s", "%9.3f", "bytes/s", "bytes that all ranks receive", 1e-9},
};

/// Returns all decompositions p1 p2 p3 = `ranks` in which each rank has a point on each axis, and `halo` points on an
/// axis that is cut. The order is by p3, then by p2.
/// \param requested  required ranks on each axis; 0 permits any number
/// \throws InvalidInput  if no decomposition fits
std::vector<Index3> decompositions(const Index3& points, int ranks, Index halo, const Index3& requested) {
    const auto fits = [&](const Index3& p) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (requested[axis] != 0 && requested[axis] != p[axis]) return false;
            if (p[axis] > 1 && points[axis] / p[axis] < halo) return false;
        }
        return true;
    };
    std::vector<Index3> fitting;
    for (Index p3 = 1; p3 <= ranks; ++p3) {
        if (ranks % p3 != 0) continue;
        for (Index p2 = 1; p2 <= ranks / p3; ++p2) {
            const Index3 p{ranks / p3 / p2, p2, p3};
            if (ranks / p3 % p2 == 0 && fits(p)) fitting.push_back(p);
        }
    }
    require(!fitting.empty(), "no decomposition of the grid among " + std::to_string(ranks) + " ranks leaves each " +
                                  std::to_string(halo) +
                                  " points to send: give more points, a lower order, or other --p1, --p2, --p3");
    return fitting;
}

/// Number of a point in the whole grid, modulo 2^23, so that a float holds it exactly. Numbers recur at distances that
/// are longer than a face.
double number_of(const Index3& points, const Index3& point) {
    return static_cast<double>((point[0] + points[0] * (point[1] + points[1] * point[2])) % (Index{1} << 23));
}

constexpr double nobody = -1;

/// Expected value at a local point: its number, if the point belongs to this rank or to the face of a neighbour.
double expected_at(const Cartesian& cartesian, const Index3& local) {
    const Index3 inner = cartesian.owned_points();
    int beyond = 0;
    Index3 point{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (local[axis] < 0 || local[axis] >= inner[axis]) ++beyond;
        point[axis] = cartesian.owned().lo[axis] + local[axis];
        if (point[axis] < 0 || point[axis] >= cartesian.points()[axis]) return nobody;
    }
    return beyond <= 1 ? number_of(cartesian.points(), point) : nobody;
}

template <class Real>
Index count_wrong(const Grid<Real>& grid, const Cartesian& cartesian) {
    const Region all = grid.whole_region();
    Index wrong = 0;
#pragma omp parallel for schedule(static) reduction(+ : wrong)
    for (Index i3 = all.lo[2]; i3 < all.hi[2]; ++i3) {
        for (Index i2 = all.lo[1]; i2 < all.hi[1]; ++i2) {
            for (Index i1 = all.lo[0]; i1 < all.hi[0]; ++i1) {
                const auto value = static_cast<double>(grid.at(i1, i2, i3));
                wrong += value == expected_at(cartesian, {i1, i2, i3}) ? 0 : 1;
            }
        }
    }
    return wrong;
}

/// Traffic of all ranks in one exchange.
struct Traffic {
    Index messages = 0;
    Index received_points = 0;
    Index largest_message_points = 0;
};

Traffic traffic(const Index3& points, const Index3& ranks, Index halo) {
    Traffic sum;
    for (int rank = 0; rank < static_cast<int>(ranks[0] * ranks[1] * ranks[2]); ++rank) {
        const Cartesian cartesian(points, ranks, rank);
        for (const Face& face : find_faces(cartesian, cartesian.owned_points(), {halo, halo, halo})) {
            ++sum.messages;
            sum.received_points += face.receive.points();
            sum.largest_message_points = std::max(sum.largest_message_points, face.receive.points());
        }
    }
    return sum;
}

/// Times exchanges on a decomposition, and checks every point of the grid and its halo. Collective.
template <class Real>
Sample measure(const Settings& s, const Variant& variant, const Index3& p, Index order, const MachineLimits& limits,
               const Ranks& ranks) {
    const Index halo = order / 2;
    const Cartesian cartesian(s.points, p, ranks.rank);
    Grid<Real> grid(cartesian.owned_points(), {halo, halo, halo});
    const auto inner = grid.inner_region();
    grid.fill([&](Index i1, Index i2, Index i3) {
        const bool own = i1 >= 0 && i1 < inner.hi[0] && i2 >= 0 && i2 < inner.hi[1] && i3 >= 0 && i3 < inner.hi[2];
        return own ? expected_at(cartesian, {i1, i2, i3}) : nobody;
    });
    const auto exchange = make_exchange<Real>(variant.method, cartesian, grid, ranks.communicator);
    const Tries tries = time_tries(s.tries, ranks.communicator, [&] { exchange->run(grid); });
    Index wrong = count_wrong(grid, cartesian);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, ranks.communicator);
    const Traffic cost = traffic(s.points, p, halo);
    const Index bytes = cost.received_points * s.value_bytes();
    Sample sample{.variant = std::string(variant.name),
                  .phase = "exchange",
                  .parameters = parameters_of(s, p, order),
                  .bytes = bytes,
                  .points = cost.received_points,
                  .failure = wrong == 0 ? "" : "values are wrong",
                  .details = {{"calls", variant.calls},
                              {"messages", cost.messages},
                              {"largest_message_bytes", cost.largest_message_points * s.value_bytes()},
                              {"wrong_points", wrong}}};
    sample.details.show("ranks", product_text(p)).show("order", order);
    add_tries(sample, tries);
    // On any transport, a point is read from one rank's grid and written to another's halo.
    add_roofline(sample, 2 * bytes, MemoryBound::copy, limits);
    return sample;
}

template <class Real>
ExitCode run(const Settings& s, const Ranks& ranks) {
    require(ranks.count > 1, "one rank has no neighbour: start at least two, as in `mpirun -n 2 ww-comm`");
    const std::vector<const Variant*> chosen = all_named(variants(), "variant", s.variant);
    std::vector<std::pair<Index, Index3>> cases;
    for (const Index order : s.orders) {
        for (const Index3& p : decompositions(s.points, ranks.count, order / 2, s.ranks)) cases.emplace_back(order, p);
    }
    Results results("comm", columns, s.json, ranks);
    const MachineLimits limits = measure_limits<Real>(s.all_points() / ranks.count, ranks.communicator);
    results.begin(text("%s points of %s on %d rank(s) of %d thread(s), %lld tries; packing included\n",
                       product_text(s.points), s.precision, ranks.count, thread_limit(), s.tries) +
                  summary(limits));
    results.say(shared_cpus_remark(ranks));
    for (const auto& [order, p] : cases) {
        for (const Variant* variant : chosen) results.add(measure<Real>(s, *variant, p, order, limits, ranks));
    }
    return results.end();
}

ExitCode comm_program(const Settings& settings, const Ranks& ranks) {
    return settings.single() ? run<float>(settings, ranks) : run<double>(settings, ranks);
}

}  // namespace

int main(int argc, char** argv) { return run_workload<Settings>(argc, argv, comm_program, columns); }
