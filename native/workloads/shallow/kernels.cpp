// Compiled without fused multiply-adds, so that results are those of any processor.
#include "workloads/shallow/kernels.hpp"

namespace waywiser::shallow {
namespace {

template <int bytes>
struct BlockLoops {
    static constexpr Index width = bytes / static_cast<Index>(sizeof(double));
    typedef double Vector [[gnu::vector_size(bytes), gnu::may_alias]];

    [[gnu::always_inline]] static const Vector& at(const double* p) { return *reinterpret_cast<const Vector*>(p); }
    [[gnu::always_inline]] static Vector& at(double* p) { return *reinterpret_cast<Vector*>(p); }

    /// Where rows of the block's scratch begin.
    struct Scratch {
        double *thicknesses, *velocities, *vorticities, *fluxes, *means, *energies;
    };

    [[gnu::always_inline]] static Scratch scratch(const Tendencies& work) {
        const Block& block = *work.block;
        const auto rows = [&](const auto& all) { return static_cast<Index>(all.size()) * work.stride; };
        Scratch s;
        s.thicknesses = work.scratch;
        s.velocities = s.thicknesses + rows(block.thicknesses);
        s.vorticities = s.velocities + rows(block.velocities);
        s.fluxes = s.vorticities + rows(block.vorticities);
        s.means = s.fluxes + rows(block.fluxes);
        s.energies = s.means + rows(block.fluxes);
        return s;
    }

    [[gnu::always_inline]] static void vorticity(const Tendencies& work, const VorticityRow& row, double* out) {
        std::array<const double*, 3> h, u;
        for (std::size_t i = 0; i < 3; ++i) {
            h[i] = work.h + row.cells[i] * work.stride;
            u[i] = work.u + row.edges[i] * work.stride;
        }
        for (Index k = 0; k < work.levels; k += width) {
            const Vector curl = row.curls[0] * at(u[0] + k) + row.curls[1] * at(u[1] + k) + row.curls[2] * at(u[2] + k);
            const Vector mean = row.kites[0] * at(h[0] + k) + row.kites[1] * at(h[1] + k) + row.kites[2] * at(h[2] + k);
            at(out + k) = (row.coriolis + curl) / mean;
        }
    }

    [[gnu::always_inline]] static void flux(const Tendencies& work, const FluxRow& row, const double* vorticities,
                                            double* out, double* mean) {
        const double* u = work.u + row.edge * work.stride;
        const double* h = work.h + row.cells[0] * work.stride;
        const double* h2 = work.h + row.cells[1] * work.stride;
        const double* q = vorticities + row.vorticities[0] * work.stride;
        const double* q2 = vorticities + row.vorticities[1] * work.stride;
        for (Index k = 0; k < work.levels; k += width) {
            at(out + k) = 0.5 * (at(h + k) + at(h2 + k)) * at(u + k);
            at(mean + k) = 0.5 * (at(q + k) + at(q2 + k));
        }
    }

    [[gnu::always_inline]] static void energy(const Tendencies& work, const EnergyRow& row, double* out) {
        const double* h = work.h + row.cell * work.stride;
        std::array<const double*, most_sides> u;
        for (std::size_t i = 0; i < most_sides; ++i) u[i] = work.u + row.edges[i] * work.stride;
        for (Index k = 0; k < work.levels; k += width) {
            Vector sum = work.gravity * at(h + k) + row.bottom;
            for (std::size_t i = 0; i < most_sides; ++i) sum += row.weights[i] * (at(u[i] + k) * at(u[i] + k));
            at(out + k) = sum;
        }
    }

    [[gnu::always_inline]] static void thickness(const Tendencies& work, const ThicknessRow& row, const double* fluxes,
                                                 double* out) {
        std::array<const double*, most_sides> f;
        for (std::size_t i = 0; i < most_sides; ++i) f[i] = fluxes + row.fluxes[i] * work.stride;
        for (Index k = 0; k < work.levels; k += width) {
            Vector sum = row.weights[0] * at(f[0] + k);
            for (std::size_t i = 1; i < most_sides; ++i) sum += row.weights[i] * at(f[i] + k);
            at(out + k) = sum;
        }
    }

    template <bool keeps_energy>
    [[gnu::always_inline]] static void velocity(const Tendencies& work, const VelocityRow& row, const Scratch& s,
                                                double* out) {
        const double* own = s.means + row.own * work.stride;
        const double* first = s.energies + row.energies[0] * work.stride;
        const double* second = s.energies + row.energies[1] * work.stride;
        std::array<const double*, most_others> f;
        std::array<Index, most_others> offsets;
        for (std::size_t i = 0; i < most_others; ++i) {
            offsets[i] = row.fluxes[i] * work.stride;
            f[i] = s.fluxes + offsets[i];
        }
        const Index to_mean = s.means - s.fluxes;
        for (Index k = 0; k < work.levels; k += width) {
            const Vector q = at(own + k);
            Vector sum{};
            for (std::size_t i = 0; i < most_others; ++i) {
                const Vector both = keeps_energy ? at(f[i] + to_mean + k) + q : 2 * q;
                sum += row.weights[i] * at(f[i] + k) * both;
            }
            at(out + k) = sum - row.inverse_distance * (at(second + k) - at(first + k));
        }
    }

    template <bool keeps_energy>
    [[gnu::always_inline]] static void velocities(const Tendencies& work, const Scratch& s) {
        double* out = s.velocities;
        for (const VelocityRow& row : work.block->velocities) {
            velocity<keeps_energy>(work, row, s, out);
            out += work.stride;
        }
    }

    [[gnu::always_inline]] static void tendencies(const Tendencies& work) {
        const Scratch s = scratch(work);
        const Block& block = *work.block;
        double* out = s.vorticities;
        for (const VorticityRow& row : block.vorticities) {
            vorticity(work, row, out);
            out += work.stride;
        }
        out = s.fluxes;
        for (const FluxRow& row : block.fluxes) {
            flux(work, row, s.vorticities, out, out + (s.means - s.fluxes));
            out += work.stride;
        }
        out = s.energies;
        for (const EnergyRow& row : block.energies) {
            energy(work, row, out);
            out += work.stride;
        }
        out = s.thicknesses;
        for (const ThicknessRow& row : block.thicknesses) {
            thickness(work, row, s.fluxes, out);
            out += work.stride;
        }
        if (work.keeps_energy) {
            velocities<true>(work, s);
        } else {
            velocities<false>(work, s);
        }
    }

    [[gnu::always_inline]] static void update(const Update& work) {
        const Vector weight = work.weight - Vector{};
        const Vector reach = work.reach - Vector{};
        if (work.next == nullptr) {
            for (Index i = 0; i < work.values; i += width) {
                at(work.sum + i) = at(work.base + i) + weight * at(work.rate + i);
            }
            return;
        }
        for (Index i = 0; i < work.values; i += width) {
            const Vector rate = at(work.rate + i);
            at(work.next + i) = at(work.start + i) + reach * rate;
            at(work.sum + i) = at(work.base + i) + weight * rate;
        }
    }
};

struct OfTendencies {
    template <int bytes>
    [[gnu::always_inline]] static void run(const Tendencies& work) {
        BlockLoops<bytes>::tendencies(work);
    }
};
struct OfUpdate {
    template <int bytes>
    [[gnu::always_inline]] static void run(const Update& work) {
        BlockLoops<bytes>::update(work);
    }
};

}  // namespace

Index Block::scratch_rows() const {
    return static_cast<Index>(thicknesses.size() + velocities.size() + vorticities.size() + 2 * fluxes.size() +
                              energies.size());
}

Kernel<Tendencies> tendencies_kernel() { return for_this_cpu<OfTendencies, Tendencies>(); }
Kernel<Update> update_kernel() { return for_this_cpu<OfUpdate, Update>(); }

}  // namespace waywiser::shallow
