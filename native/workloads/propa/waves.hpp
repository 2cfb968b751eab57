/// The wave field of one rank, and the ways to propagate it.
#pragma once

#include "workloads/common/boundary.hpp"
#include "workloads/common/deep_exchange.hpp"
#include "workloads/common/halo_exchange.hpp"
#include "workloads/propa/settings.hpp"
#include "workloads/stencil/stencil.hpp"
#include "workloads/stencil/ways.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace waywiser::propa {

/// Between steps, `current` is the field of the last step; its halo is valid where it lies beyond the domain's surface.
/// The field of the step before is `previous`, which the next step overwrites.
template <class Real>
struct Waves {
    /// Collective.
    Waves(const Settings& settings, const Cartesian& cartesian, MPI_Comm communicator);

    /// The eigenmode at steps -2 and -1.
    void start();

    stencil::Eigenmode mode;
    std::array<std::vector<double>, 3> sines;  ///< space factors of the mode, at the owned points of each axis
    std::array<double, 3> spacings;
    Grid<Real> previous;
    Grid<Real> current;
    Grid<Real> factor;     ///< (c dt)^2; of the eigenmode, of which several steps are made at once, in the halo, too
    Grid<Real> laplacian;  ///< empty until a variant needs it
    HaloExchange<Real> exchange;
    /// steps of `temporal`; halos between ranks are deep enough for them; 1 if pieces are too thin
    Index steps_at_once;
    DeepExchange<Real> deep_exchange;
    Surface<Real> surface;
    double exchange_s = 0;  ///< time for starting and awaiting exchanges so far, on this rank

    /// Computes previous as the step after current; `swap` then makes it current.
    [[nodiscard]] stencil::Work<Real> step();
    void swap() { std::swap(previous, current); }
};

/// Advances a field by steps, and keeps it where it likes, as on a device: what a caller reads or changes in `Waves` is
/// between `get` and `put`.
template <class Real>
class Propagator {
public:
    virtual ~Propagator() = default;
    virtual void advance(Index steps) = 0;
    /// Takes the field from `Waves`, and brings it there; a field in host memory stays there.
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
using Way = stencil::Way<Variant<Real>>;

template <class Real>
[[nodiscard]] std::span<const Variant<Real>> variants();

template <class Real>
void advance_temporal(Waves<Real>& waves, const stencil::Block& block, Index steps);

/// The propagator on a CUDA device (cuda.cu, with WAYWISER_CUDA alone); collective.
template <class Real>
[[nodiscard]] std::unique_ptr<Propagator<Real>> on_device(Waves<Real>& waves, const stencil::Block& block);
[[nodiscard]] bool has_device();

/// The kernel on a box of the field `out`, and the surface that follows from it. By one thread.
template <class Real>
void compute_piece(const Waves<Real>& waves, stencil::Kernel<Real> kernel, const stencil::Work<Real>& work,
                   Grid<Real>& out);

}  // namespace waywiser::propa
