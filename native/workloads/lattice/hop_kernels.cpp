// A hop in registers, a lane a sub-lattice.
//
// In the chiral basis, gamma_mu has blocks S_mu and S_mu^+ off its diagonal, and 1 -+ gamma_mu maps a spinor (u, l) to
// (h, -+ S_mu^+ h) with h = u -+ S_mu l. So a half spinor h is all that a link acts on, and all that travels.
#include "workloads/lattice/kernels.hpp"

#include <utility>

namespace waywiser::lattice {
namespace {

template <int bytes>
struct HopLoops {
    static constexpr int width = bytes / static_cast<int>(sizeof(double));
    typedef double Vector [[gnu::vector_size(bytes), gnu::may_alias]];
    typedef long long Mask [[gnu::vector_size(bytes), gnu::may_alias]];

    struct Value {
        Vector re, im;
    };
    struct Colours {
        Value of[3];
    };
    struct HalfSpinor {
        Colours spin[2];
    };
    struct Link {
        Value of[3][3];
    };

    [[gnu::always_inline]] static const Vector& at(const double* p) { return *reinterpret_cast<const Vector*>(p); }
    [[gnu::always_inline]] static Vector& at(double* p) { return *reinterpret_cast<Vector*>(p); }

    [[gnu::always_inline]] static Value value(const double* p, int number) {
        return {at(p + 2 * number * width), at(p + (2 * number + 1) * width)};
    }

    /// a + sign i b, where sign is 1 or -1; likewise below.
    template <int sign>
    [[gnu::always_inline]] static Value plus_i(const Value& a, const Value& b) {
        if constexpr (sign > 0) return {a.re - b.im, a.im + b.re};
        return {a.re + b.im, a.im - b.re};
    }
    template <int sign>
    [[gnu::always_inline]] static Value plus(const Value& a, const Value& b) {
        if constexpr (sign > 0) return {a.re + b.re, a.im + b.im};
        return {a.re - b.re, a.im - b.im};
    }

    /// Spin `row` of u + sign S_axis l: S_x = i sigma_1, S_y = i sigma_2, S_z = i sigma_3, S_t = 1.
    template <int axis, int sign, int row>
    [[gnu::always_inline]] static Value upper(const Value& u, const Value& l0, const Value& l1) {
        if constexpr (axis == 0) return plus_i<sign>(u, row == 0 ? l1 : l0);
        if constexpr (axis == 1) return plus<row == 0 ? sign : -sign>(u, row == 0 ? l1 : l0);
        if constexpr (axis == 2) return plus_i<row == 0 ? sign : -sign>(u, row == 0 ? l0 : l1);
        return plus<sign>(u, row == 0 ? l0 : l1);
    }

    /// Spin `row` of l + sign S_axis^+ h.
    template <int axis, int sign, int row>
    [[gnu::always_inline]] static Value lower(const Value& l, const Value& h0, const Value& h1) {
        if constexpr (axis == 0) return plus_i<-sign>(l, row == 0 ? h1 : h0);
        if constexpr (axis == 1) return plus<row == 0 ? -sign : sign>(l, row == 0 ? h1 : h0);
        if constexpr (axis == 2) return plus_i<row == 0 ? -sign : sign>(l, row == 0 ? h0 : h1);
        return plus<sign>(l, row == 0 ? h0 : h1);
    }

    template <int axis, int sign>
    [[gnu::always_inline]] static HalfSpinor project(const double* spinor) {
        HalfSpinor h;
        for (int c = 0; c < 3; ++c) {
            const Value l0 = value(spinor, 6 + c);
            const Value l1 = value(spinor, 9 + c);
            h.spin[0].of[c] = upper<axis, sign, 0>(value(spinor, c), l0, l1);
            h.spin[1].of[c] = upper<axis, sign, 1>(value(spinor, 3 + c), l0, l1);
        }
        return h;
    }

    [[gnu::always_inline]] static void add_product(Value& sum, const Value& a, const Value& b) {
        sum.re += a.re * b.re;
        sum.re -= a.im * b.im;
        sum.im += a.re * b.im;
        sum.im += a.im * b.re;
    }

    /// The complex conjugate of a b - c d.
    [[gnu::always_inline]] static Value minor(const Value& a, const Value& b, const Value& c, const Value& d) {
        return {a.re * b.re - a.im * b.im - c.re * d.re + c.im * d.im,
                c.re * d.im + c.im * d.re - a.re * b.im - a.im * b.re};
    }

    template <int rows>
    [[gnu::always_inline]] static Link read(const double* p) {
        Link u;
        for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < 3; ++column) u.of[row][column] = value(p, 3 * row + column);
        }
        if constexpr (rows == 2) {
            for (int i = 0; i < 3; ++i) {
                const int j = (i + 1) % 3;
                const int k = (i + 2) % 3;
                u.of[2][i] = minor(u.of[0][j], u.of[1][k], u.of[0][k], u.of[1][j]);
            }
        }
        return u;
    }

    [[gnu::always_inline]] static HalfSpinor multiply(const Link& u, const HalfSpinor& h) {
        HalfSpinor product;
        for (int row = 0; row < 3; ++row) {
            Value sums[2]{};
            for (int column = 0; column < 3; ++column) {
                for (int spin = 0; spin < 2; ++spin) {
                    add_product(sums[spin], u.of[row][column], h.spin[spin].of[column]);
                }
            }
            for (int spin = 0; spin < 2; ++spin) product.spin[spin].of[row] = sums[spin];
        }
        return product;
    }

    [[gnu::always_inline]] static Link adjoint_of(const Link& u) {
        Link adjoint;
        for (int row = 0; row < 3; ++row) {
            for (int column = 0; column < 3; ++column) {
                adjoint.of[row][column] = {u.of[column][row].re, -u.of[column][row].im};
            }
        }
        return adjoint;
    }

    /// Lanes whose numbers differ in a bit trade places.
    template <int bit, int... lane>
    [[gnu::always_inline]] static void trade(Vector& v, std::integer_sequence<int, lane...>) {
        v = __builtin_shufflevector(v, v, (lane ^ bit)...);
    }
    template <int bit>
    [[gnu::always_inline]] static void trade(HalfSpinor& h) {
        if constexpr (bit < width) {
            for (Colours& colours : h.spin) {
                for (Value& one : colours.of) {
                    trade<bit>(one.re, std::make_integer_sequence<int, width>());
                    trade<bit>(one.im, std::make_integer_sequence<int, width>());
                }
            }
        }
    }
    [[gnu::always_inline]] static void trade_lanes(HalfSpinor& h, int bit) {
        if (bit == 1) {
            trade<1>(h);
        } else if (bit == 2) {
            trade<2>(h);
        } else {
            trade<4>(h);
        }
    }

    /// Lanes at a face have what was received.
    [[gnu::always_inline]] static void receive(HalfSpinor& h, const double* received, unsigned lanes) {
        alignas(bytes) long long masks[width];
        for (int lane = 0; lane < width; ++lane) {
            masks[lane] = (lanes >> static_cast<unsigned>(lane) & 1U) != 0 ? -1 : 0;
        }
        const Mask at_face = *reinterpret_cast<const Mask*>(masks);
        for (int spin = 0; spin < 2; ++spin) {
            for (int c = 0; c < 3; ++c) {
                Value& own = h.spin[spin].of[c];
                const Value other = value(received, 3 * spin + c);
                own = {at_face ? other.re : own.re, at_face ? other.im : own.im};
            }
        }
    }

    /// A block and what it has to do with.
    struct Around {
        const double* in;
        const double* links;
        const std::int32_t* neighbours;
        const std::int32_t* halos;
    };

    template <int axis, bool is_backward, int rows, bool dagger>
    [[gnu::always_inline]] static void add_direction(const HopWork& work, const Around& around, Value (&sum)[4][3]) {
        constexpr int direction = 2 * axis + (is_backward ? 1 : 0);
        constexpr int sign = is_backward == dagger ? -1 : 1;
        const std::int32_t neighbour = around.neighbours[direction];
        const std::int32_t halo = around.halos[direction];
        HalfSpinor h = project<axis, sign>(around.in + Index{neighbour / 2} * spinor_values * width);
        if (neighbour % 2 != 0) trade_lanes(h, work.sites->lane_bit(axis));
        if (!is_backward && halo >= 0) receive_at<direction>(work, halo, h);
        h = multiply(read<rows>(around.links + direction * rows * 6 * width), h);
        if (is_backward && halo >= 0) receive_at<direction>(work, halo, h);
        for (int c = 0; c < 3; ++c) {
            const Value& h0 = h.spin[0].of[c];
            const Value& h1 = h.spin[1].of[c];
            sum[0][c] = plus<1>(sum[0][c], h0);
            sum[1][c] = plus<1>(sum[1][c], h1);
            sum[2][c] = lower<axis, sign, 0>(sum[2][c], h0, h1);
            sum[3][c] = lower<axis, sign, 1>(sum[3][c], h0, h1);
        }
    }

    template <int direction>
    [[gnu::always_inline]] static void receive_at(const HopWork& work, std::int32_t halo, HalfSpinor& h) {
        receive(h, work.received[direction] + Index{halo} * half_spinor_values * width,
                work.sites->face_lanes(direction));
    }

    template <int axis, int rows, bool dagger>
    [[gnu::always_inline]] static void add_axis(const HopWork& work, const Around& around, Value (&sum)[4][3]) {
        add_direction<axis, false, rows, dagger>(work, around, sum);
        add_direction<axis, true, rows, dagger>(work, around, sum);
    }

    template <int rows, bool dagger>
    [[gnu::always_inline]] static void hop_of(const HopWork& work) {
        const std::int32_t* neighbours = work.sites->neighbours(work.parity);
        const std::int32_t* halos = work.sites->halos(work.parity);
        const double* links = work.links->data(work.parity);
        for (const std::int32_t block : work.blocks) {
            const Index at = block;
            const Around around{work.in, links + at * directions * rows * 6 * width, neighbours + at * directions,
                                halos + at * directions};
            Value sum[4][3]{};
            add_axis<0, rows, dagger>(work, around, sum);
            add_axis<1, rows, dagger>(work, around, sum);
            add_axis<2, rows, dagger>(work, around, sum);
            add_axis<3, rows, dagger>(work, around, sum);
            finish(work, at * spinor_values * width, sum);
        }
    }

    [[gnu::always_inline]] static void finish(const HopWork& work, Index offset, const Value (&sum)[4][3]) {
        const Vector factor = work.factor - Vector{};
        for (int number = 0; number < 12; ++number) {
            const Value& one = sum[number / 3][number % 3];
            const Index re = offset + Index{2 * number} * width;
            const Index im = re + width;
            if (work.add != nullptr) {
                at(work.out + re) = at(work.add + re) + factor * one.re;
                at(work.out + im) = at(work.add + im) + factor * one.im;
            } else {
                at(work.out + re) = factor * one.re;
                at(work.out + im) = factor * one.im;
            }
        }
    }

    [[gnu::always_inline]] static void run(const HopWork& work) {
        if (work.links->rows() == 2) {
            work.dagger ? hop_of<2, true>(work) : hop_of<2, false>(work);
        } else {
            work.dagger ? hop_of<3, true>(work) : hop_of<3, false>(work);
        }
    }

    [[gnu::always_inline]] static void write(const Vector& v, unsigned lanes, double*& message) {
        alignas(bytes) double values[width];
        at(values) = v;
        for (int lane = 0; lane < width; ++lane) {
            if ((lanes >> static_cast<unsigned>(lane) & 1U) != 0) *message++ = values[lane];
        }
    }
    [[gnu::always_inline]] static void write(const HalfSpinor& h, unsigned lanes, double*& message) {
        for (const Colours& colours : h.spin) {
            for (const Value& one : colours.of) {
                write(one.re, lanes, message);
                write(one.im, lanes, message);
            }
        }
    }

    /// A message that goes forwards arrives from backwards: it is multiplied by the adjoint of the link that it passes.
    template <int axis, bool to_forward, int rows, bool dagger>
    [[gnu::always_inline]] static void pack_of(const PackWork& work) {
        constexpr int sign = to_forward == dagger ? -1 : 1;
        const unsigned lanes = work.sites->face_lanes(work.direction);
        const double* links = work.links->data(work.parity) + work.direction * rows * 6 * width;
        double* message = work.message;
        for (const std::int32_t block : work.blocks) {
            const Index at = block;
            HalfSpinor h = project<axis, sign>(work.in + at * spinor_values * width);
            if constexpr (to_forward) {
                h = multiply(adjoint_of(read<rows>(links + at * directions * rows * 6 * width)), h);
            }
            write(h, lanes, message);
        }
    }

    template <int axis, bool to_forward>
    [[gnu::always_inline]] static void pack_direction(const PackWork& work) {
        if (to_forward && work.links->rows() == 2) {
            work.dagger ? pack_of<axis, to_forward, 2, true>(work) : pack_of<axis, to_forward, 2, false>(work);
        } else {
            work.dagger ? pack_of<axis, to_forward, 3, true>(work) : pack_of<axis, to_forward, 3, false>(work);
        }
    }

    [[gnu::always_inline]] static void pack(const PackWork& work) {
        switch (work.direction) {
            case forward(0): return pack_direction<0, true>(work);
            case backward(0): return pack_direction<0, false>(work);
            case forward(1): return pack_direction<1, true>(work);
            case backward(1): return pack_direction<1, false>(work);
            case forward(2): return pack_direction<2, true>(work);
            case backward(2): return pack_direction<2, false>(work);
            case forward(3): return pack_direction<3, true>(work);
            default: return pack_direction<3, false>(work);
        }
    }
};

struct Hop {
    template <int bytes>
    [[gnu::always_inline]] static void run(const HopWork& work) {
        HopLoops<bytes>::run(work);
    }
};
struct Pack {
    template <int bytes>
    [[gnu::always_inline]] static void run(const PackWork& work) {
        HopLoops<bytes>::pack(work);
    }
};

}  // namespace

int most_lanes() { return register_bytes() / static_cast<int>(sizeof(double)); }

HopKernels vector_hop() { return {for_this_cpu<Hop, HopWork>(), for_this_cpu<Pack, PackWork>()}; }

}  // namespace waywiser::lattice
