// Schemes of the variant `vector`, which use the kernels of kernels.hpp.
#include "workloads/npb/kernels.hpp"
#include "workloads/npb/pipeline.hpp"
#include "workloads/npb/relaxation_loops.hpp"
#include "workloads/npb/sweep.hpp"

namespace waywiser::npb {
namespace {

/// BT's numbers of values in the pipeline, and its kernel.
struct Blocks {
    static constexpr bool as_bt = true;
    static constexpr bool stays_packed = false;
    static constexpr Index kept_of_point = 25;
    static constexpr Index carried = 30;
    static constexpr Index returned = 5;
    static void solve(const LineWork& work) { kernels().solve_blocks(work); }
};

struct Scalars {
    static constexpr bool as_bt = false;
    static constexpr bool stays_packed = true;
    static constexpr Index kept_of_point = 6;
    static constexpr Index carried = 22;
    static constexpr Index returned = 10;
    static void solve(const LineWork& work) { kernels().solve_scalars(work); }
};

template <class System>
class LinesInLanes : public System {
public:
    explicit LinesInLanes(const Problem& problem)
        : dt_(problem.dt), stays_packed_(System::stays_packed && !problem.partition.multiple()) {
        for (int thread = 0; thread < thread_limit(); ++thread) {
            scratch_.emplace_back(static_cast<std::size_t>(line_scratch(problem.points())));
        }
    }

    static Index at_once() { return lines_at_once(); }
    [[nodiscard]] Index kept(Index points) const {
        return at_once() * points * System::kept_of_point + (stays_packed_ ? line_scratch(points) : 0);
    }

    void forward(const Bundle& bundle, double* carry, double* kept_values) {
        System::solve(work(Stage::forward, bundle, carry, kept_values));
    }
    void backward(const Bundle& bundle, double* kept_values, double* carry) {
        System::solve(work(Stage::backward, bundle, carry, kept_values));
    }
    void solve(const Bundle& bundle, double* kept_values) {
        System::solve(work(Stage::both, bundle, nullptr, kept_values));
    }

private:
    LineWork work(Stage stage, const Bundle& bundle, double* carry, double* kept_values) {
        const Index points = bundle.first.hi - bundle.first.lo;
        double* packed = stays_packed_ ? kept_values + at_once() * points * System::kept_of_point
                                       : scratch_[static_cast<std::size_t>(thread_number())].data();
        return {.stage = stage,
                .line = bundle.first,
                .across = bundle.across,
                .count = bundle.count,
                .dt = dt_,
                .carry = carry,
                .kept = kept_values,
                .scratch = packed,
                .stays_packed = stays_packed_};
    }

    double dt_;
    bool stays_packed_;
    std::vector<Array<double>> scratch_;  ///< scratch memory of each thread
};

class RelaxationByRegisters final : public Scheme {
public:
    explicit RelaxationByRegisters(Problem& problem)
        : problem_(problem),
          cell_(problem.cells.front()),
          inner_(inner_points(cell_.cartesian)),
          edges_(problem),
          strips_(static_cast<std::size_t>(parts_of_plane(inner_))) {
        const Index most_rows = inner_.extent(1) / parts_of_plane(inner_) + 1;
        const auto room = static_cast<std::size_t>(plane_scratch({inner_.extent(0), most_rows}));
        for (Strip& strip : strips_) {
            strip.below = Array<double>(room);
            strip.scratch = Array<double>(room);
            strip.before[0].resize(static_cast<std::size_t>(Field::unknowns * most_rows));
            strip.before[1].resize(static_cast<std::size_t>(Field::unknowns * inner_.extent(0)));
        }
    }

    void solve() override {
        for (const bool forwards : {true, false}) {
            for (Strip& strip : strips_) std::fill_n(strip.below.data(), strip.below.size(), 0.0);
            sweep(edges_, inner_, forwards, [&](const Rows& rows) { relax(rows); });
        }
    }

private:
    /// Scratch for one thread's rows in each plane.
    struct Strip {
        Array<double> below, scratch;
        std::array<std::vector<double>, 2> before;
    };

    void relax(const Rows& rows) {
        Strip& strip = strips_[static_cast<std::size_t>(rows.part)];
        const Index3 first{rows.forwards ? inner_.lo[0] : inner_.hi[0] - 1, rows.at(inner_, rows.begin), rows.plane};
        const Index sign = rows.forwards ? 1 : -1;
        const Index extent[2] = {inner_.extent(0), rows.end - rows.begin};
        const Side from = rows.forwards ? Side::low : Side::high;
        // Without a neighbour, the side lies on a face, where the solution does not change.
        const bool column = cell_.cartesian.neighbour(0, from) >= 0;
        const bool row = rows.begin > 0 || cell_.cartesian.neighbour(1, from) >= 0;
        kernels().relax({.u = cell_.u.at(first),
                         .rhs = cell_.rhs.at(first),
                         .step = {sign * cell_.u.stride(0), sign * cell_.u.stride(1)},
                         .between = cell_.u.between(),
                         .extent = {extent[0], extent[1]},
                         .points = problem_.points(),
                         .dt = problem_.dt,
                         .forwards = rows.forwards,
                         .before = {column ? before<0>(strip, first, sign, extent[1]) : nullptr,
                                    row ? before<1>(strip, first, sign, extent[0]) : nullptr},
                         .below = strip.below.data(),
                         .scratch = strip.scratch.data()});
    }

    /// The contribution of the row or column next to the first point.
    template <int axis>
    const double* before(Strip& strip, const Index3& first, Index sign, Index extent) const {
        Index3 p = first;
        p[axis] -= sign;
        for (Index n = 0; n < extent; ++n) {
            const RelaxedPoint<double> point(cell_.u.get(p).data(), problem_.dt, problem_.points(), sign > 0);
            Vector5 added{};
            point.contribute<axis>(cell_.rhs.get(p).data(), added.data());
            Field::set_unknowns_at(strip.before[axis].data() + n, extent, added);
            p[1 - axis] += sign;
        }
        return strip.before[axis].data();
    }

    Problem& problem_;
    Cell& cell_;
    Region inner_;
    Edges edges_;
    std::vector<Strip> strips_;
};

constexpr Variant all_variants[] = {
    {"baseline", evaluate_by_points, make_bt, make_sp, make_lu},
    {"vector", evaluate_by_registers, make_bt_by_registers, make_sp_by_registers, make_lu_by_registers},
};

}  // namespace

std::unique_ptr<Scheme> make_bt_by_registers(Problem& problem) {
    return std::make_unique<Factorised<LinesInLanes<Blocks>>>(problem);
}
std::unique_ptr<Scheme> make_sp_by_registers(Problem& problem) {
    return std::make_unique<Factorised<LinesInLanes<Scalars>>>(problem);
}
std::unique_ptr<Scheme> make_lu_by_registers(Problem& problem) {
    return std::make_unique<RelaxationByRegisters>(problem);
}

std::span<const Variant> variants() { return all_variants; }

}  // namespace waywiser::npb
