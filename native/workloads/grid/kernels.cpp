#include "workloads/grid/kernels.hpp"

#include "workloads/common/ahead.hpp"
#include "workloads/common/clones.hpp"
#include "workloads/common/threads.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace waywiser::grid {
namespace {

/// Rows [begin, end) of the inner points, numbered along axis 2 first.
struct RowRange {
    Index begin;
    Index end;
};

/// The inner points as rows.
template <class Real>
struct Rows {
    const Real* w;
    const Real* r;
    Index length;
    Index per_plane;
    Index stride_2;
    Index stride_3;

    explicit Rows(const Fields<Real>& f)
        : w(f.w.row(0, 0)),
          r(f.r.row(0, 0)),
          length(f.w.inner()[0]),
          per_plane(f.w.inner()[1]),
          stride_2(f.w.stride(1)),
          stride_3(f.w.stride(2)) {}

    [[nodiscard]] Index offset(Index row) const { return row % per_plane * stride_2 + row / per_plane * stride_3; }
};

// Terms of the reductions for a point of w and of r.
struct Absolute {
    static constexpr bool reads_r = false;
    template <class Real>
    static Real of(Real w, Real) {
        return std::abs(w);
    }
};
struct AbsoluteReference {
    template <class Real>
    static Real of(Real, Real r) {
        return std::abs(r);
    }
};
struct AbsoluteDifference {
    static constexpr bool reads_r = true;
    template <class Real>
    static Real of(Real w, Real r) {
        return std::abs(w - r);
    }
};
struct RelativeError {
    static constexpr bool reads_r = true;
    template <class Real>
    static Real of(Real w, Real r) {
        const Real size = std::abs(r);
        return std::abs(w - r) / (size < least_reference<Real> ? Real{1} : size);
    }
};
struct Value {
    static constexpr bool reads_r = false;
    template <class Real>
    static Real of(Real w, Real) {
        return w;
    }
};
struct Negative {
    static constexpr bool reads_r = false;
    template <class Real>
    static Real of(Real w, Real) {
        return -w;
    }
};

template <class Term, class Real>
[[gnu::always_inline]] inline void ask_ahead(const Real* w, const Real* r, Index ahead) {
    ask_for(w + ahead);
    if constexpr (Term::reads_r) ask_for(r + ahead);
}

// Loops over lanes are `omp simd`, because GCC 12 otherwise splits 16 lanes into vectors of 8, 4, 2, 1 and 1, at a
// quarter of the rate.

/// Sums `Term`, and `Beside` unless it is void, in double with `lanes` running sums each; one lane is a plain loop.
template <int lanes, class Term, class Beside = void, class Real>
[[gnu::always_inline]] inline Reduced sums_of(const Rows<Real>& rows, RowRange range) {
    constexpr bool two = !std::is_void_v<Beside>;
    double sums[lanes] = {};
    double sums_beside[lanes] = {};
    Reduced rest;
    const Index ahead = rows_ahead<Real>(rows.stride_2);
    for (Index row = range.begin; row < range.end; ++row) {
        const Real* w = rows.w + rows.offset(row);
        const Real* r = rows.r + rows.offset(row);
        Index i = 0;
        for (; i + lanes <= rows.length; i += lanes) {
            if constexpr (lanes > 1) ask_ahead<Term>(w + i, r + i, ahead);
#pragma omp simd
            for (int j = 0; j < lanes; ++j) sums[j] += static_cast<double>(Term::of(w[i + j], r[i + j]));
            if constexpr (two) {
#pragma omp simd
                for (int j = 0; j < lanes; ++j) sums_beside[j] += static_cast<double>(Beside::of(w[i + j], r[i + j]));
            }
        }
        for (; i < rows.length; ++i) {
            rest.value += static_cast<double>(Term::of(w[i], r[i]));
            if constexpr (two) rest.beside += static_cast<double>(Beside::of(w[i], r[i]));
        }
    }
    for (const double sum : sums) rest.value += sum;
    for (const double sum : sums_beside) rest.beside += sum;
    return rest;
}

template <int lanes, class Term, class Real>
[[gnu::always_inline]] inline Reduced greatest_of(const Rows<Real>& rows, RowRange range) {
    constexpr Real least = -std::numeric_limits<Real>::infinity();
    Real greatest[lanes];
    for (Real& lane : greatest) lane = least;
    Real rest = least;
    const Index ahead = rows_ahead<Real>(rows.stride_2);
    for (Index row = range.begin; row < range.end; ++row) {
        const Real* w = rows.w + rows.offset(row);
        const Real* r = rows.r + rows.offset(row);
        Index i = 0;
        for (; i + lanes <= rows.length; i += lanes) {
            if constexpr (lanes > 1) ask_ahead<Term>(w + i, r + i, ahead);
#pragma omp simd
            for (int j = 0; j < lanes; ++j) {
                const Real value = Term::of(w[i + j], r[i + j]);
                greatest[j] = value > greatest[j] ? value : greatest[j];
            }
        }
        for (; i < rows.length; ++i) rest = std::max(rest, Term::of(w[i], r[i]));
    }
    for (const Real lane : greatest) rest = std::max(rest, lane);
    return {static_cast<double>(rest), 0};
}

/// Reduces rows with 16 running sums, or a cache line of running extremes. These hide the latency of additions, and few
/// values remain at the end of a row.
template <Form form, class Real>
[[gnu::always_inline]] inline Reduced reduce_rows(Operation operation, const Rows<Real>& rows, RowRange range) {
    constexpr int sums = form == Form::plain ? 1 : 16;
    constexpr int values = form == Form::plain ? 1 : 64 / static_cast<int>(sizeof(Real));
    switch (operation) {
        case Operation::max_error: return greatest_of<values, RelativeError>(rows, range);
        case Operation::l1_error: return sums_of<sums, AbsoluteDifference, AbsoluteReference>(rows, range);
        case Operation::sum_abs: return sums_of<sums, Absolute>(rows, range);
        case Operation::sum_abs_difference: return sums_of<sums, AbsoluteDifference>(rows, range);
        case Operation::max: return greatest_of<values, Value>(rows, range);
        case Operation::min: return {-greatest_of<values, Negative>(rows, range).value, 0};
        default: return {};  // Other kernels do not reduce (Kernel::reduces).
    }
}

WAYWISER_CLONES
Reduced reduce_share(Operation operation, Form form, const Rows<float>& rows, RowRange range) {
    return form == Form::plain ? reduce_rows<Form::plain>(operation, rows, range)
                               : reduce_rows<Form::vectorised>(operation, rows, range);
}
WAYWISER_CLONES
Reduced reduce_share(Operation operation, Form form, const Rows<double>& rows, RowRange range) {
    return form == Form::plain ? reduce_rows<Form::plain>(operation, rows, range)
                               : reduce_rows<Form::vectorised>(operation, rows, range);
}

template <class Real>
[[gnu::always_inline]] inline void update_row_of(Real* __restrict w, const Real* __restrict r, const Real* __restrict l,
                                                 const Real* __restrict c, Index n) {
    for (Index i = 0; i < n; ++i) w[i] = 2 * r[i] - w[i] + c[i] * l[i];
}

WAYWISER_CLONES
void update_row(float* w, const float* r, const float* l, const float* c, Index n) { update_row_of(w, r, l, c, n); }
WAYWISER_CLONES
void update_row(double* w, const double* r, const double* l, const double* c, Index n) { update_row_of(w, r, l, c, n); }

Reduced combined(Operation operation, const Reduced& a, const Reduced& b) {
    if (operation == Operation::min) return {std::min(a.value, b.value), 0};
    if (operation == Operation::max || operation == Operation::max_error) return {std::max(a.value, b.value), 0};
    return {a.value + b.value, a.beside + b.beside};
}

/// Calls `body(row range)` on every thread with its share of the rows of the inner points.
template <class Body>
void by_rows(const Index3& inner, Body body) {
    const Index rows = inner[1] * inner[2];
#pragma omp parallel
    {
        const Index part = thread_number();
        const Index parts = team_size();
        body(RowRange{rows * part / parts, rows * (part + 1) / parts});
    }
}

Reduced neutral(Operation operation) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (operation == Operation::min) return {infinity, 0};
    if (operation == Operation::max || operation == Operation::max_error) return {-infinity, 0};
    return {};
}

}  // namespace

template <class Real>
Reduced reduce(Operation operation, Form form, const Fields<Real>& fields) {
    const Rows<Real> rows(fields);
    Reduced all = neutral(operation);
    by_rows(fields.w.inner(), [&](RowRange range) {
        const Reduced mine = reduce_share(operation, form, rows, range);
#pragma omp critical
        all = combined(operation, all, mine);
    });
    return all;
}

template <class Real>
void fill(Fields<Real>& fields, Real value) {
    by_rows(fields.w.inner(), [&](RowRange range) {
        for (Index row = range.begin; row < range.end; ++row) {
            const Index per_plane = fields.w.inner()[1];
            std::fill_n(fields.w.row(row % per_plane, row / per_plane), fields.w.inner()[0], value);
        }
    });
}

template <class Real>
void update_pressure(Fields<Real>& fields) {
    by_rows(fields.w.inner(), [&](RowRange range) {
        for (Index row = range.begin; row < range.end; ++row) {
            const Index i2 = row % fields.w.inner()[1];
            const Index i3 = row / fields.w.inner()[1];
            update_row(fields.w.row(i2, i3), fields.r.row(i2, i3), fields.l.row(i2, i3), fields.c.row(i2, i3),
                       fields.w.inner()[0]);
        }
    });
}

template Reduced reduce(Operation, Form, const Fields<float>&);
template Reduced reduce(Operation, Form, const Fields<double>&);
template void fill(Fields<float>&, float);
template void fill(Fields<double>&, double);
template void update_pressure(Fields<float>&);
template void update_pressure(Fields<double>&);

}  // namespace waywiser::grid
