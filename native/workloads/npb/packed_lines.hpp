/// Lines packed for registers, with one line per lane. The unknowns of a point are adjacent. The momentum along the
/// line precedes the momenta across the line, so that a solver does not depend on the axis.
#pragma once

#include "workloads/npb/kernels.hpp"
#include "workloads/npb/lanes.hpp"

namespace waywiser::npb {

template <int bytes>
class PackedLines {
public:
    using L = Lanes<bytes>;
    using V = L::Vector;
    static constexpr Index point = 5 * L::width;  ///< values per point

    [[gnu::always_inline]] explicit PackedLines(const LineWork& work)
        : w_(work), points_(work.line.hi - work.line.lo), u_(work.scratch + point), rhs_(u_ + (points_ + 1) * point) {
        const Index normal = static_cast<Index>(work.line.axis);
        for (Index n = 0; n < 3; ++n) place_[1 + n] = (1 + (normal + n) % 3) * work.line.between;
        place_[4] = 4 * work.line.between;
    }

    [[gnu::always_inline]] void pack_u() const {
        pack(w_.line.u + (w_.line.lo - 1) * w_.line.stride, points_ + 2, u_ - point);
    }
    [[gnu::always_inline]] void pack_rhs() const { pack(w_.line.rhs + w_.line.lo * w_.line.stride, points_, rhs_); }

    [[nodiscard]] [[gnu::always_inline]] Index points() const { return points_; }
    /// Values of points -1 ... `points`, including neighbours of the rank's points.
    [[nodiscard]] [[gnu::always_inline]] const double* u(Index i) const { return u_ + i * point; }
    [[nodiscard]] [[gnu::always_inline]] double* rhs(Index i) const { return rhs_ + i * point; }

    /// Copies the right-hand sides back into the field.
    [[gnu::always_inline]] void unpack() const {
        double* to = w_.line.rhs + w_.line.lo * w_.line.stride;
        Index i = 0;
        if (w_.count == L::width && w_.across == 1) {
            for (; i < points_; ++i) {
                unrolled<0, 5>([&](auto m) __attribute__((always_inline)) {
                    L::at(to + place_[m] + i * w_.line.stride) = L::at(rhs(i) + m * L::width);
                });
            }
        } else if (w_.count == L::width && w_.line.stride == 1) {
            for (; i + L::width <= points_; i += L::width) {
                for (int m = 0; m < 5; ++m) {
                    V square[L::width];
                    unrolled<0, L::width>(
                        [&](auto n) __attribute__((always_inline)) { square[n] = L::at(rhs(i + n) + m * L::width); });
                    L::transpose(square);
                    unrolled<0, L::width>([&](auto n) __attribute__((always_inline)) {
                        L::at(to + place_[m] + n * w_.across + i) = square[n];
                    });
                }
            }
        }
        for (; i < points_; ++i) {
            for (int m = 0; m < 5; ++m) {
                for (Index lane = 0; lane < w_.count; ++lane) {
                    to[place_[m] + i * w_.line.stride + lane * w_.across] = rhs(i)[m * L::width + lane];
                }
            }
        }
    }

    /// Copies the values that the pipeline carries, `count` per line, into lanes; without such values, the lanes become
    /// zeros. A lane without a line gets the values of the last line. `leave_carried` copies the values back.
    template <int count>
    [[gnu::always_inline]] void take_carried(double* lanes) const {
        for (int n = 0; n < count; ++n) {
            for (Index lane = 0; lane < L::width; ++lane) {
                lanes[n * L::width + lane] =
                    w_.carry == nullptr ? 0 : w_.carry[std::min(lane, w_.count - 1) * count + n];
            }
        }
    }
    template <int count>
    [[gnu::always_inline]] void leave_carried(const double* lanes, int first = 0, int number = count) const {
        for (int n = 0; n < number && w_.carry != nullptr; ++n) {
            for (Index lane = 0; lane < w_.count; ++lane) {
                w_.carry[lane * count + first + n] = lanes[n * L::width + lane];
            }
        }
    }

private:
    [[gnu::always_inline]] void pack(const double* from, Index points, double* to) const {
        Index i = 0;
        if (w_.count == L::width && w_.across == 1) {
            for (; i < points; ++i) {
                unrolled<0, 5>([&](auto m) __attribute__((always_inline)) {
                    L::at(to + i * point + m * L::width) = L::at(from + place_[m] + i * w_.line.stride);
                });
            }
        } else if (w_.count == L::width && w_.line.stride == 1) {
            for (; i + L::width <= points; i += L::width) {
                for (int m = 0; m < 5; ++m) {
                    V square[L::width];
                    unrolled<0, L::width>([&](auto n) __attribute__((always_inline)) {
                        square[n] = L::at(from + place_[m] + n * w_.across + i);
                    });
                    L::transpose(square);
                    unrolled<0, L::width>([&](auto n) __attribute__((always_inline)) {
                        L::at(to + (i + n) * point + m * L::width) = square[n];
                    });
                }
            }
        }
        for (; i < points; ++i) {
            for (int m = 0; m < 5; ++m) {
                for (Index lane = 0; lane < L::width; ++lane) {
                    const Index line = std::min(lane, w_.count - 1);
                    to[i * point + m * L::width + lane] = from[place_[m] + i * w_.line.stride + line * w_.across];
                }
            }
        }
    }

    const LineWork& w_;
    Index points_;
    double* u_;
    double* rhs_;
    Index place_[5] = {};  ///< offset of each unknown from the first, in values
};

/// `System` has `eliminate<bytes>(work, lines)` and `substitute<bytes>(work, lines)`; `substitutes_with_u` says whether
/// `substitute` reads u.
template <class System>
struct Solve {
    template <int bytes>
    [[gnu::always_inline]] static void run(const LineWork& w) {
        const PackedLines<bytes> lines(w);
        const bool finds_packed = w.stage == Stage::backward && w.stays_packed;
        const bool leaves_packed = w.stage == Stage::forward && w.stays_packed;
        if (!finds_packed && (w.stage != Stage::backward || System::substitutes_with_u)) lines.pack_u();
        if (!finds_packed) lines.pack_rhs();
        if (w.stage != Stage::backward) System::template eliminate<bytes>(w, lines);
        if (w.stage != Stage::forward) System::template substitute<bytes>(w, lines);
        if (!leaves_packed) lines.unpack();
    }
};

}  // namespace waywiser::npb
