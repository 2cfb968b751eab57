// A hop in registers, with one lane per sub-lattice.
//
// In the chiral basis, gamma_mu has blocks S_mu and S_mu^+ off its diagonal, and 1 -+ gamma_mu maps a spinor (u, l) to
// (h, -+ S_mu^+ h) with h = u -+ S_mu l. Links therefore act on half spinors h only, and messages contain half spinors
// only.
//
// The kernel processes one spin of h at a time: its colours, the colours of its product and a number of the link fill
// 14 of 16 registers.
#include "workloads/common/ahead.hpp"
#include "workloads/common/nontemporal.hpp"
#include "workloads/lattice/kernels.hpp"

#include <algorithm>
#include <utility>

namespace waywiser::lattice {
namespace {

/// Loops of a hop on doubles. The type is a parameter, because GCC drops the size of a `Vector` from the arguments of
/// templates if the size does not depend on a type.
template <int bytes, class Real = double>
struct HopLoops {
    static constexpr int width = bytes / static_cast<int>(sizeof(double));
    typedef Real Vector [[gnu::vector_size(bytes), gnu::may_alias]];
    typedef long long Mask [[gnu::vector_size(bytes), gnu::may_alias]];

    struct Value {
        Vector re, im;
    };
    struct Colours {
        Value of[3];
    };

    [[gnu::always_inline]] static const Vector& at(const double* p) { return *reinterpret_cast<const Vector*>(p); }
    [[gnu::always_inline]] static Vector& at(double* p) { return *reinterpret_cast<Vector*>(p); }

    [[gnu::always_inline]] static Value value(const double* p, int number) {
        return {at(p + 2 * number * width), at(p + (2 * number + 1) * width)};
    }

    [[gnu::always_inline]] static void set(double* p, int number, const Value& entry) {
        at(p + 2 * number * width) = entry.re;
        at(p + (2 * number + 1) * width) = entry.im;
    }

    /// Returns a + sign i b, where sign is 1 or -1 here and below.
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

    /// Column of the only non-zero entry in a row of S_x = i sigma_1, S_y = i sigma_2, S_z = i sigma_3 or S_t = 1.
    static constexpr int partner(int axis, int row) { return axis < 2 ? 1 - row : row; }

    /// Returns spin `row` of u + sign S_axis l, where l is the partner spin.
    template <int axis, int sign, int row>
    [[gnu::always_inline]] static Value upper(const Value& u, const Value& l) {
        if constexpr (axis == 0) return plus_i<sign>(u, l);
        if constexpr (axis == 1) return plus<row == 0 ? sign : -sign>(u, l);
        if constexpr (axis == 2) return plus_i<row == 0 ? sign : -sign>(u, l);
        return plus<sign>(u, l);
    }

    /// Returns spin `row` of l + sign S_axis^+ h, where h is the partner spin.
    template <int axis, int sign, int row>
    [[gnu::always_inline]] static Value lower(const Value& l, const Value& h) {
        if constexpr (axis == 0) return plus_i<-sign>(l, h);
        if constexpr (axis == 1) return plus<row == 0 ? -sign : sign>(l, h);
        if constexpr (axis == 2) return plus_i<row == 0 ? -sign : sign>(l, h);
        return plus<sign>(l, h);
    }

    template <int axis, int sign, int row>
    [[gnu::always_inline]] static Colours project(const double* spinor) {
        Colours h;
        for (int c = 0; c < 3; ++c) {
            h.of[c] = upper<axis, sign, row>(value(spinor, 3 * row + c), value(spinor, 6 + 3 * partner(axis, row) + c));
        }
        return h;
    }

    /// Returns the complex conjugate of a b - c d.
    [[gnu::always_inline]] static Value minor(const Value& a, const Value& b, const Value& c, const Value& d) {
        return {a.re * b.re - a.im * b.im - c.re * d.re + c.im * d.im,
                c.re * d.im + c.im * d.re - a.re * b.im - a.im * b.re};
    }

    struct Link {
        const double* two_rows;
        const double* third;

        [[gnu::always_inline]] Value of(int row, int column) const {
            return row < 2 ? value(two_rows, 3 * row + column) : value(third, column);
        }
    };
    /// \param room  memory for the third row, used if two rows are stored
    template <int rows>
    [[gnu::always_inline]] static Link link_at(const double* p, double* room) {
        if constexpr (rows == 3) return {p, p + 12 * width};
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3;
            const int k = (i + 2) % 3;
            set(room, i, minor(value(p, j), value(p, 3 + k), value(p, k), value(p, 3 + j)));
        }
        return {p, room};
    }

    /// Forces values to be loaded again. Compilers would keep a link for the other spin, for which there are no
    /// registers.
    [[gnu::always_inline]] static void forget(const double* p) { asm volatile("" : : "r"(p) : "memory"); }

    /// Keeps a value in a register for all uses. Otherwise, compilers would let each operation load the value from
    /// memory.
    [[gnu::always_inline]] static void load(Vector& v) {
#ifdef __x86_64__
        asm("" : "+v"(v));
#endif
    }

    template <bool adjoint>
    [[gnu::always_inline]] static Colours multiply(const Link& link, const Colours& h) {
        Colours product;
        for (int column = 0; column < 3; ++column) {
            const Value& b = h.of[column];
            for (int row = 0; row < 3; ++row) {
                Value a = adjoint ? link.of(column, row) : link.of(row, column);
                if constexpr (adjoint) a.im = -a.im;
                load(a.re);
                load(a.im);
                Value& sum = product.of[row];
                sum = column == 0 ? Value{a.re * b.re, a.re * b.im} : Value{sum.re + a.re * b.re, sum.im + a.re * b.im};
                sum.re -= a.im * b.im;
                sum.im += a.im * b.re;
            }
        }
        return product;
    }

    /// Exchanges lanes whose numbers differ in a bit.
    template <int bit, int... lane>
    [[gnu::always_inline]] static void trade(Vector& v, std::integer_sequence<int, lane...>) {
        v = __builtin_shufflevector(v, v, (lane ^ bit)...);
    }
    template <int bit>
    [[gnu::always_inline]] static void trade(Colours& h) {
        if constexpr (bit < width) {
            for (Value& colour : h.of) {
                trade<bit>(colour.re, std::make_integer_sequence<int, width>());
                trade<bit>(colour.im, std::make_integer_sequence<int, width>());
            }
        }
    }
    [[gnu::always_inline]] static void trade_lanes(Colours& h, int bit) {
        if (bit == 1) {
            trade<1>(h);
        } else if (bit == 2) {
            trade<2>(h);
        } else {
            trade<4>(h);
        }
    }

    [[gnu::always_inline]] static Mask mask_of(unsigned lanes) {
        alignas(bytes) long long masks[width];
        for (int lane = 0; lane < width; ++lane) {
            masks[lane] = (lanes >> static_cast<unsigned>(lane) & 1U) != 0 ? -1 : 0;
        }
        return *reinterpret_cast<const Mask*>(masks);
    }

    /// Replaces lanes at a face by received values.
    [[gnu::always_inline]] static void receive(Colours& h, const double* received, const Mask& at_face) {
        for (int c = 0; c < 3; ++c) {
            const Value arrived = value(received, c);
            h.of[c] = {at_face ? arrived.re : h.of[c].re, at_face ? arrived.im : h.of[c].im};
        }
    }

    /// A block's input from a direction.
    struct Term {
        const double* in;  ///< spinors of the neighbour
        const double* link;
        int lane_bit;            ///< bit of lanes that are exchanged, or 0
        const double* received;  ///< nullptr if no lane is at a face to another rank
        Mask at_face;
        bool is_backward;
    };

    template <int axis, int sign, int row>
    [[gnu::always_inline]] static void add_spin(const Term& term, const Link& link, double* sum) {
        constexpr int spin = 6 * row * width;
        Colours h = project<axis, sign, row>(term.in);
        if (term.lane_bit != 0) [[unlikely]] {
            trade_lanes(h, term.lane_bit);
        }
        if (term.received != nullptr && !term.is_backward) [[unlikely]] {
            receive(h, term.received + spin, term.at_face);
        }
        h = multiply<false>(link, h);
        if (term.received != nullptr && term.is_backward) [[unlikely]] {
            receive(h, term.received + spin, term.at_face);
        }
        constexpr int partner_row = partner(axis, row);
        for (int c = 0; c < 3; ++c) {
            set(sum, 3 * row + c, plus<1>(value(sum, 3 * row + c), h.of[c]));
            set(sum, 6 + 3 * partner_row + c,
                lower<axis, sign, partner_row>(value(sum, 6 + 3 * partner_row + c), h.of[c]));
        }
        forget(sum);
    }

    template <int axis, int sign, int rows>
    [[gnu::always_inline]] static void add_term(const Term& term, double* sum) {
        alignas(bytes) double room[6 * width];
        const Link link = link_at<rows>(term.link, room);
        forget(room);
        add_spin<axis, sign, 0>(term, link, sum);
        add_spin<axis, sign, 1>(term, link, sum);
    }

    template <int rows>
    [[gnu::always_inline]] static void add_term(int axis, bool positive, const Term& term, double* sum) {
        switch (2 * axis + (positive ? 1 : 0)) {
            case 0: return add_term<0, -1, rows>(term, sum);
            case 1: return add_term<0, 1, rows>(term, sum);
            case 2: return add_term<1, -1, rows>(term, sum);
            case 3: return add_term<1, 1, rows>(term, sum);
            case 4: return add_term<2, -1, rows>(term, sum);
            case 5: return add_term<2, 1, rows>(term, sum);
            case 6: return add_term<3, -1, rows>(term, sum);
            default: return add_term<3, 1, rows>(term, sum);
        }
    }

    /// Neighbours, links and prefetching of the blocks of a hop.
    template <int rows>
    struct Around {
        const HopWork& work;
        const std::int32_t* neighbours;
        const std::int32_t* halos;
        const double* links;
        bool is_large;
        Mask at_face[directions];

        [[gnu::always_inline]] explicit Around(const HopWork& hop)
            : work(hop),
              neighbours(hop.sites->neighbours(hop.parity)),
              halos(hop.sites->halos(hop.parity)),
              links(hop.links->data(hop.parity)),
              is_large(hop.sites->blocks() * block_link_values > most_cached_values) {
            for (int direction = 0; direction < directions; ++direction) {
                at_face[direction] = mask_of(hop.sites->face_lanes(direction));
            }
        }

        static constexpr Index link_values = Index{rows} * 6 * width;
        static constexpr Index block_link_values = link_values * directions;

        [[gnu::always_inline]] const double* link(Index block, int direction) const {
            return links + (block * directions + direction) * link_values;
        }
        [[gnu::always_inline]] const double* in(Index block, int direction) const {
            return work.in + Index{neighbours[block * directions + direction] / 2} * spinor_values * width;
        }
        [[gnu::always_inline]] Term term(Index block, int direction) const {
            const Index number = block * directions + direction;
            const auto axis = static_cast<std::size_t>(direction) / 2;
            const std::int32_t halo = halos[number];
            return {.in = in(block, direction),
                    .link = link(block, direction),
                    .lane_bit = neighbours[number] % 2 != 0 ? work.sites->lane_bit(axis) : 0,
                    .received = halo < 0 ? nullptr
                                         : work.received[static_cast<std::size_t>(direction)] +
                                               Index{halo} * half_spinor_values * width,
                    .at_face = at_face[direction],
                    .is_backward = direction % 2 != 0};
        }
        /// Prefetches a link of this block or of the next block, and a later neighbour. Neighbours along x and y have
        /// been read a short time before.
        [[gnu::always_inline]] void ask(Index block, Index later, int direction) const {
            const double* place = link(block, direction + links_ahead);
            for (Index i = 0; i < link_values; i += line) ask_for(place + i);
            if (direction < forward(2)) return;
            place = in(later, direction);
            for (Index i = 0; i < spinor_values * width; i += line) ask_for(place + i);
        }
    };
    static constexpr int links_ahead = 3;
    static constexpr Index line = 64 / sizeof(double);
    /// Number of values of a parity's links up to which a cache keeps a hop's results until they are read.
    static constexpr Index most_cached_values = (Index{16} << 20U) / static_cast<Index>(sizeof(double));

    template <int rows>
    [[gnu::always_inline]] static void hop_of(const HopWork& work) {
        const Around<rows> around(work);
        const std::size_t blocks = work.blocks.size();
        for (std::size_t i = 0; i < blocks; ++i) {
            const Index block = work.blocks[i];
            const Index later = work.blocks[std::min(i + 2, blocks - 1)];
            alignas(bytes) double sum[spinor_values * width] = {};
            for (int direction = 0; direction < directions; ++direction) {
                const Term term = around.term(block, direction);
                if (around.is_large) around.ask(block, later, direction);
                add_term<rows>(direction / 2, term.is_backward != work.dagger, term, sum);
            }
            finish(work, block * spinor_values * width, sum, around.is_large);
        }
        if (around.is_large) fence_nontemporal();
    }

    [[gnu::always_inline]] static void finish(const HopWork& work, Index offset, const double* sum, bool is_large) {
        const Vector factor = work.factor - Vector{};
        for (Index i = 0; i < spinor_values * width; i += width) {
            const Vector scaled = factor * at(sum + i);
            const Vector result = work.add != nullptr ? at(work.add + offset + i) + scaled : scaled;
            if (is_large) {
                store_nontemporal(&at(work.out + offset + i), result);
            } else {
                at(work.out + offset + i) = result;
            }
        }
    }

    [[gnu::always_inline]] static void run(const HopWork& work) {
        work.links->rows() == 2 ? hop_of<2>(work) : hop_of<3>(work);
    }

    [[gnu::always_inline]] static void write(const Vector& v, unsigned lanes, double*& message) {
        alignas(bytes) double values[width];
        at(values) = v;
        for (int lane = 0; lane < width; ++lane) {
            if ((lanes >> static_cast<unsigned>(lane) & 1U) != 0) *message++ = values[lane];
        }
    }

    template <int axis, int sign>
    [[gnu::always_inline]] static void project(const double* spinor, Colours (&h)[2]) {
        h[0] = project<axis, sign, 0>(spinor);
        h[1] = project<axis, sign, 1>(spinor);
    }
    [[gnu::always_inline]] static void project(int axis, bool positive, const double* spinor, Colours (&h)[2]) {
        switch (2 * axis + (positive ? 1 : 0)) {
            case 0: return project<0, -1>(spinor, h);
            case 1: return project<0, 1>(spinor, h);
            case 2: return project<1, -1>(spinor, h);
            case 3: return project<1, 1>(spinor, h);
            case 4: return project<2, -1>(spinor, h);
            case 5: return project<2, 1>(spinor, h);
            case 6: return project<3, -1>(spinor, h);
            default: return project<3, 1>(spinor, h);
        }
    }

    /// A message that is sent forwards arrives from backwards, and is multiplied by the adjoint of the link that it
    /// passes.
    [[gnu::always_inline]] static void pack(const PackWork& work) {
        const bool to_forward = work.direction % 2 == 0;
        const unsigned lanes = work.sites->face_lanes(work.direction);
        const int rows = work.links->rows();
        const double* links = work.links->data(work.parity);
        double* message = work.message;
        for (const std::int32_t number : work.blocks) {
            const Index block = number;
            const double* place = links + (block * directions + work.direction) * rows * 6 * width;
            alignas(bytes) double room[6 * width];
            const Link link = rows == 2 ? link_at<2>(place, room) : link_at<3>(place, room);
            Colours h[2];
            project(work.direction / 2, to_forward != work.dagger, work.in + block * spinor_values * width, h);
            for (Colours& spin : h) {
                if (to_forward) spin = multiply<true>(link, spin);
                for (const Value& colour : spin.of) {
                    write(colour.re, lanes, message);
                    write(colour.im, lanes, message);
                }
            }
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
