// The schemes by the kernels of kernels.hpp.
#include "workloads/npb/edges.hpp"
#include "workloads/npb/kernels.hpp"
#include "workloads/npb/pipeline.hpp"
#include "workloads/npb/relaxation_loops.hpp"

namespace waywiser::npb {
namespace {

/// Numbers of values, as the pipeline has them, and the kernel.
struct Blocks {
    static constexpr bool as_bt = true;
    static constexpr Index kept = 25;
    static constexpr Index carried = 30;
    static constexpr Index returned = 5;
    static void solve(const LineWork& work) { kernels().solve_blocks(work); }
};

struct Scalars {
    static constexpr bool as_bt = false;
    static constexpr Index kept = 6;
    static constexpr Index carried = 22;
    static constexpr Index returned = 10;
    static void solve(const LineWork& work) { kernels().solve_scalars(work); }
};

template <class System>
class LinesInLanes : public System {
public:
    LinesInLanes(double dt, Index points) : dt_(dt), scratch_(static_cast<std::size_t>(line_scratch(points))) {}

    static Index at_once() { return lines_at_once(); }

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
        return {.stage = stage,
                .line = bundle.first,
                .across = bundle.across,
                .count = bundle.count,
                .dt = dt_,
                .carry = carry,
                .kept = kept_values,
                .scratch = scratch_.data()};
    }

    double dt_;
    Array<double> scratch_;
};

class Relaxation final : public Scheme {
public:
    explicit Relaxation(Problem& problem)
        : problem_(problem),
          cell_(problem.cells.front()),
          inner_(inner_points(cell_.cartesian)),
          edges_(problem),
          below_(room()),
          scratch_(room()) {
        for (std::size_t axis = 0; axis < 2; ++axis) {
            before_[axis].resize(static_cast<std::size_t>(Field::unknowns * inner_.extent(1 - axis)));
        }
    }

    void solve() override {
        clear_below();
        for (Index plane = inner_.lo[2]; plane < inner_.hi[2]; ++plane) {
            edges_.receive(plane, Side::low);
            relax(plane, true);
            edges_.send(plane, Side::high);
        }
        clear_below();
        for (Index plane = inner_.hi[2] - 1; plane >= inner_.lo[2]; --plane) {
            edges_.receive(plane, Side::high);
            relax(plane, false);
            edges_.send(plane, Side::low);
        }
    }

private:
    [[nodiscard]] std::size_t room() const {
        return static_cast<std::size_t>(plane_scratch({inner_.extent(0), inner_.extent(1)}));
    }

    void clear_below() { std::fill_n(below_.data(), below_.size(), 0.0); }

    void relax(Index plane, bool forwards) {
        const Index3 first =
            forwards ? Index3{inner_.lo[0], inner_.lo[1], plane} : Index3{inner_.hi[0] - 1, inner_.hi[1] - 1, plane};
        const Index sign = forwards ? 1 : -1;
        kernels().relax({.u = cell_.u.at(first),
                         .rhs = cell_.rhs.at(first),
                         .step = {sign * cell_.u.stride(0), sign * cell_.u.stride(1)},
                         .between = cell_.u.between(),
                         .extent = {inner_.extent(0), inner_.extent(1)},
                         .points = problem_.points(),
                         .dt = problem_.dt,
                         .forwards = forwards,
                         .before = {before<0>(first, sign), before<1>(first, sign)},
                         .below = below_.data(),
                         .scratch = scratch_.data()});
    }

    /// What the row or column next to the first point's adds, if a rank has it; else it lies on a face, where nothing
    /// changes.
    template <int axis>
    const double* before(const Index3& first, Index sign) {
        const bool forwards = sign > 0;
        if (cell_.cartesian.neighbour(axis, forwards ? Side::low : Side::high) < 0) return nullptr;
        const Index extent = inner_.extent(1 - axis);
        Index3 p = first;
        p[axis] -= sign;
        for (Index n = 0; n < extent; ++n) {
            const RelaxedPoint<double> point(cell_.u.get(p).data(), problem_.dt, problem_.points(), forwards);
            Vector5 added{};
            point.contribute<axis>(cell_.rhs.get(p).data(), added.data());
            Field::set_unknowns_at(before_[axis].data() + n, extent, added);
            p[1 - axis] += sign;
        }
        return before_[axis].data();
    }

    Problem& problem_;
    Cell& cell_;
    Region inner_;
    Edges edges_;
    Array<double> below_, scratch_;
    std::array<std::vector<double>, 2> before_;
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
std::unique_ptr<Scheme> make_lu_by_registers(Problem& problem) { return std::make_unique<Relaxation>(problem); }

std::span<const Variant> variants() { return all_variants; }

}  // namespace waywiser::npb
