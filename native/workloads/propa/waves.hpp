/// The wave field of one rank, and the variants that propagate it.
#pragma once

#include "workloads/common/boundary.hpp"
#include "workloads/common/deep_exchange.hpp"
#include "workloads/common/halo_exchange.hpp"
#include "workloads/propa/settings.hpp"
#include "workloads/stencil/candidates.hpp"
#include "workloads/stencil/stencil.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace waywiser::propa {

/// Between steps, `current` is the field of the last step; its halo is valid beyond the domain's surface. `previous` is
/// the field of the step before, which the next step overwrites.
template <class Real>
struct Waves {
    /// Collective.
    Waves(const Settings& settings, const Cartesian& cartesian, MPI_Comm communicator);

    /// Sets the fields to the eigenmode at steps -2 and -1.
    void start();

    stencil::Eigenmode mode;
    std::array<std::vector<double>, 3> sines;  ///< space factors of the mode, at the owned points of each axis
    std::array<double, 3> spacings;
    Grid<Real> previous;
    Grid<Real> current;
    Grid<Real> factor;     ///< (c dt)^2; for the eigenmode also in the halo, where `temporal` computes
    Grid<Real> laplacian;  ///< empty until a variant needs it
    HaloExchange<Real> exchange;
    /// steps in a pass of `temporal`, for which halos between ranks are deep enough; 1 if parts are too thin
    Index steps_at_once;
    DeepExchange<Real> deep_exchange;
    Surface<Real> surface;
    double exchange_s = 0;  ///< time so far for starting and awaiting exchanges, on this rank

    /// Work that computes the step after `current` in `previous`; `swap` then makes the result current.
    [[nodiscard]] stencil::Work<Real> step();
    void swap() { std::swap(previous, current); }
};

/// Advances a field by steps. A propagator may keep the field elsewhere, as on a device, so that callers may read or
/// change the field in `Waves` only between `get` and `put`.
template <class Real>
class Propagator {
public:
    virtual ~Propagator() = default;
    virtual void advance(Index steps) = 0;
    /// `put` takes the field from `Waves`, and `get` returns it. For a field in host memory, both do nothing.
    virtual void put() {}
    virtual void get() {}
    /// Time of a leapfrog without neighbours on a field that is not in host memory [s].
    virtual std::optional<double> copy_s() { return std::nullopt; }
};

template <class Real>
struct Variant {
    std::string_view name;
    std::unique_ptr<Propagator<Real>> (*make)(Waves<Real>& waves, const stencil::Block& block);
    bool in_blocks;
    bool (*supported)(const Waves<Real>& waves);
};

template <class Real>
using Candidate = stencil::Candidate<Variant<Real>>;

template <class Real>
[[nodiscard]] std::span<const Variant<Real>> variants();

template <class Real>
void advance_temporal(Waves<Real>& waves, const stencil::Block& block, Index steps);

/// Makes the propagator on a CUDA device (cuda.cu, with WAYWISER_CUDA alone). Collective.
template <class Real>
[[nodiscard]] std::unique_ptr<Propagator<Real>> on_device(Waves<Real>& waves, const stencil::Block& block);
[[nodiscard]] bool has_device();

/// Applies the kernel to a box of `out`, then the surface condition that depends on the box. Called by one thread.
template <class Real>
void compute_piece(const Waves<Real>& waves, stencil::Kernel<Real> kernel, const stencil::Work<Real>& work,
                   Grid<Real>& out);

}  // namespace waywiser::propa
