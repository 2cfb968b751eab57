// The propagator on CUDA devices. A thread computes a pack of neighbouring points on axis 1, plane after plane. It
// keeps their neighbours on axis 3 in registers; neighbours on the other axes come through the first cache.
#include "base/error.hpp"
#include "workloads/common/stopwatch.hpp"
#include "workloads/propa/waves.hpp"

#include <cuda_runtime.h>
#include <mpi.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace waywiser::propa {
namespace {

using stencil::Work;

void require_success(cudaError_t code) {
    if (code != cudaSuccess) throw Error(std::string("CUDA: ") + cudaGetErrorString(code));
}

/// Neighbours on axis 1 that are read and written together.
template <class Real>
struct alignas(16) Pack {
    static constexpr int size = 16 / sizeof(Real);
    Real values[size];
};

template <class Real>
__device__ Pack<Real> load(const Real* values) {
    return *reinterpret_cast<const Pack<Real>*>(values);
}

template <class Real, int radius>
__global__ void __launch_bounds__(256, 2) advance_columns(const Work<Real> w, Index planes) {
    constexpr int size = Pack<Real>::size;
    constexpr int side = (radius + size - 1) / size;  // packs that hold the neighbours on either side
    const Index i1 = size * (w.box.lo[0] / size + static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x);
    const Index i2 = w.box.lo[1] + static_cast<Index>(blockIdx.y) * blockDim.y + threadIdx.y;
    if (i1 >= w.box.hi[0] || i2 >= w.box.hi[1]) return;
    const Index first = w.box.lo[2] + static_cast<Index>(blockIdx.z) * planes;
    const Index last = std::min(first + planes, w.box.hi[2]);
    const bool whole = i1 >= w.box.lo[0] && i1 + size <= w.box.hi[0];
    Index at = i1 + i2 * w.stride_2 + first * w.stride_3;
    Pack<Real> column[2 * radius + 1];
#pragma unroll
    for (int k = 0; k < 2 * radius; ++k) column[k + 1] = load(w.in + at + (k - radius) * w.stride_3);
    for (Index i3 = first; i3 < last; ++i3, at += w.stride_3) {
        const Real* __restrict__ in = w.in + at;
#pragma unroll
        for (int k = 0; k < 2 * radius; ++k) column[k] = column[k + 1];
        column[2 * radius] = load(in + radius * w.stride_3);
        const Pack<Real>& centre = column[radius];
        Pack<Real> row[2 * side + 1];
#pragma unroll
        for (int k = -side; k <= side; ++k) row[side + k] = k == 0 ? centre : load(in + k * size);
        const auto along = [&](int i) { return row[(i + side * size) / size].values[(i + side * size) % size]; };
        Pack<Real> sum;
#pragma unroll
        for (int i = 0; i < size; ++i) sum.values[i] = w.centre * centre.values[i];
#pragma unroll
        for (int k = 1; k <= radius; ++k) {
            const Pack<Real> before = load(in - k * w.stride_2);
            const Pack<Real> after = load(in + k * w.stride_2);
#pragma unroll
            for (int i = 0; i < size; ++i) {
                sum.values[i] += w.taps[0][k - 1] * (along(i + k) + along(i - k)) +
                                 w.taps[1][k - 1] * (after.values[i] + before.values[i]) +
                                 w.taps[2][k - 1] * (column[radius + k].values[i] + column[radius - k].values[i]);
            }
        }
        const Pack<Real> factor = load(w.factor + at);
        Pack<Real> out = load(w.out + at);
#pragma unroll
        for (int i = 0; i < size; ++i) {
            out.values[i] = 2 * centre.values[i] - out.values[i] + factor.values[i] * sum.values[i];
        }
        if (whole) {
            *reinterpret_cast<Pack<Real>*>(w.out + at) = out;
        } else {
#pragma unroll
            for (int i = 0; i < size; ++i) {
                if (i1 + i >= w.box.lo[0] && i1 + i < w.box.hi[0]) w.out[at + i] = out.values[i];
            }
        }
    }
}

/// Sets the plane of a face to 0, and its halo to minus the mirror image (`Surface`). `a` and `b` are the axes of the
/// plane; `beyond` is the step out of the grid.
template <class Real>
__global__ void mirror(Real* plane, Index beyond, Index width, Index points_a, Index stride_a, Index points_b,
                       Index stride_b) {
    const Index a = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
    const Index b = static_cast<Index>(blockIdx.y) * blockDim.y + threadIdx.y;
    if (a >= points_a || b >= points_b) return;
    Real* const at = plane + a * stride_a + b * stride_b;
    *at = 0;
    for (Index k = 1; k <= width; ++k) at[k * beyond] = -at[-k * beyond];
}

unsigned blocks(Index points, unsigned size) {
    return static_cast<unsigned>((points + static_cast<Index>(size) - 1) / static_cast<Index>(size));
}

template <class Real>
using Advance = void (*)(Work<Real>, Index);

template <class Real, int... radii>
Advance<Real> find_advance(int radius, std::integer_sequence<int, radii...> /*radii*/) {
    static constexpr Advance<Real> table[] = {advance_columns<Real, radii>...};
    return table[radius];
}

/// A grid in device memory, laid out as in host memory, so that offsets of points agree.
template <class Real>
class DeviceGrid {
public:
    explicit DeviceGrid(const Grid<Real>& host) {
        constexpr Index line = 64 / static_cast<Index>(sizeof(Real));  // rows stay aligned
        const Region all = host.whole_region();
        first_ = host.offset(0, all.lo[1], all.lo[2]) - (host.halo()[0] + line - 1) / line * line;
        count_ = host.offset(all.hi[0] - 1, all.hi[1] - 1, all.hi[2] - 1) + 1 - first_;
        require_success(cudaMalloc(&data_, bytes()));
    }
    DeviceGrid(const DeviceGrid&) = delete;
    DeviceGrid& operator=(const DeviceGrid&) = delete;
    ~DeviceGrid() { cudaFree(data_); }

    /// The device's copy of a value of the host's grid.
    [[nodiscard]] Real* at(Index offset) const { return data_ + (offset - first_); }

    void copy_from(const Grid<Real>& host) { copy(data_, begin(host), cudaMemcpyHostToDevice); }
    void copy_to(Grid<Real>& host) const { copy(begin(host), data_, cudaMemcpyDeviceToHost); }

    /// Copies a box between the grids, in as few pieces as there are along axis 2 or 3.
    void copy_box(Grid<Real>& host, const Region& box, cudaMemcpyKind kind) const {
        const std::size_t looped = box.extent(1) < box.extent(2) ? 1 : 2;
        const std::size_t rows = 3 - looped;
        const std::size_t pitch = sizeof(Real) * static_cast<std::size_t>(host.stride(rows));
        Index3 corner = box.lo;
        for (; corner[looped] < box.hi[looped]; ++corner[looped]) {
            const Index offset = host.offset(corner[0], corner[1], corner[2]);
            void* to = at(offset);
            void* from = begin(host) + (offset - first_);
            if (kind == cudaMemcpyDeviceToHost) std::swap(to, from);
            require_success(cudaMemcpy2D(to, pitch, from, pitch, sizeof(Real) * static_cast<std::size_t>(box.extent(0)),
                                         static_cast<std::size_t>(box.extent(rows)), kind));
        }
    }

    void swap(DeviceGrid& other) {
        std::swap(first_, other.first_);
        std::swap(count_, other.count_);
        std::swap(data_, other.data_);
    }

private:
    [[nodiscard]] std::size_t bytes() const { return sizeof(Real) * static_cast<std::size_t>(count_); }
    template <class AnyGrid>
    [[nodiscard]] auto* begin(AnyGrid& host) const {
        return host.row(0, 0) - host.offset(0, 0, 0) + first_;
    }
    void copy(void* to, const void* from, cudaMemcpyKind kind) const {
        require_success(cudaMemcpy(to, from, bytes(), kind));
    }

    Index first_;  ///< offset of the first value in the host's grid
    Index count_;
    Real* data_ = nullptr;
};

int device_count() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

/// Ranks of a node take its devices in turn. Collective.
void take_device() {
    MPI_Comm node = MPI_COMM_NULL;
    int rank = 0;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_free(&node);
    require_success(cudaSetDevice(rank % device_count()));
}

/// A field on the rank's device; halos between ranks pass through host memory.
template <class Real>
class OnDevice : public Propagator<Real> {
public:
    explicit OnDevice(Waves<Real>& waves)
        : waves_(waves), previous_(waves.previous), current_(waves.current), factor_(waves.factor) {
        factor_.copy_from(waves.factor);
    }

    void put() final {
        previous_.copy_from(waves_.previous);
        current_.copy_from(waves_.current);
    }

    void get() final {
        previous_.copy_to(waves_.previous);
        current_.copy_to(waves_.current);
    }

    void advance(Index steps) final {
        for (Index step = 0; step < steps; ++step) {
            const Region interior = waves_.exchange.interior();
            Stopwatch watch;
            for (const Region& box : waves_.exchange.shell()) {
                current_.copy_box(waves_.current, box, cudaMemcpyDeviceToHost);
            }
            waves_.exchange.start(waves_.current);
            waves_.exchange_s += watch.lap_s();
            compute(interior, waves_.mode.order);
            watch.lap_s();
            waves_.exchange.finish(waves_.current);
            for (const Region& box : halos()) current_.copy_box(waves_.current, box, cudaMemcpyHostToDevice);
            waves_.exchange_s += watch.lap_s();
            for (const Region& box : waves_.exchange.shell()) compute(box, waves_.mode.order);
            mirror_faces();
            previous_.swap(current_);
            waves_.swap();
        }
        require_success(cudaDeviceSynchronize());
    }

    std::optional<double> copy_s() final {
        compute(waves_.current.inner_region(), 0);
        require_success(cudaDeviceSynchronize());
        constexpr int passes = 20;
        Stopwatch watch;
        for (int i = 0; i < passes; ++i) compute(waves_.current.inner_region(), 0);
        require_success(cudaDeviceSynchronize());
        return watch.lap_s() / passes;
    }

private:
    /// Starts the step from `current` to `previous` on a box.
    void compute(const Region& box, int order) {
        if (box.points() == 0) return;
        Work<Real> work = stencil::make_work(stencil::Operator::leapfrog, order, waves_.spacings, waves_.previous,
                                             waves_.current, &waves_.factor);
        work.out = previous_.at(waves_.previous.offset(0, 0, 0));
        work.in = current_.at(waves_.current.offset(0, 0, 0));
        work.factor = factor_.at(waves_.factor.offset(0, 0, 0));
        work.box = box;
        const dim3 threads(32, 8);
        constexpr int size = Pack<Real>::size;
        constexpr Index planes = 64;  // of a column: long enough that its first neighbours cost little
        const dim3 grid(blocks(box.hi[0] - box.lo[0] / size * size, threads.x * size), blocks(box.extent(1), threads.y),
                        blocks(box.extent(2), planes));
        find_advance<Real>(order / 2, std::make_integer_sequence<int, 9>())<<<grid, threads>>>(work, planes);
        require_success(cudaGetLastError());
    }

    void mirror_faces() {
        const Grid<Real>& grid = waves_.previous;
        for (const SurfaceFace& face : waves_.surface.faces()) {
            const std::size_t a = face.axis == 0 ? 1 : 0;
            const std::size_t b = face.axis == 2 ? 1 : 2;
            Index3 corner{};
            if (face.side == Side::high) corner[face.axis] = grid.inner()[face.axis] - 1;
            const Index beyond = face.side == Side::high ? grid.stride(face.axis) : -grid.stride(face.axis);
            const dim3 threads(32, 8);
            const dim3 count(blocks(grid.inner()[a], threads.x), blocks(grid.inner()[b], threads.y));
            mirror<<<count, threads>>>(previous_.at(grid.offset(corner[0], corner[1], corner[2])), beyond,
                                       waves_.mode.order / 2, grid.inner()[a], grid.stride(a), grid.inner()[b],
                                       grid.stride(b));
            require_success(cudaGetLastError());
        }
    }

    /// The points of the halo that neighbours own.
    [[nodiscard]] std::vector<Region> halos() const {
        const Region inner = waves_.current.inner_region();
        const Region interior = waves_.exchange.interior();
        const Index radius = waves_.mode.order / 2;
        std::vector<Region> result;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            Region box = inner;
            box.lo[axis] = -radius;
            box.hi[axis] = 0;
            if (interior.lo[axis] > 0) result.push_back(box);
            box.lo[axis] = inner.hi[axis];
            box.hi[axis] = inner.hi[axis] + radius;
            if (interior.hi[axis] < inner.hi[axis]) result.push_back(box);
        }
        return result;
    }

    Waves<Real>& waves_;
    DeviceGrid<Real> previous_;
    DeviceGrid<Real> current_;
    DeviceGrid<Real> factor_;
};

}  // namespace

template <class Real>
std::unique_ptr<Propagator<Real>> on_device(Waves<Real>& waves, const stencil::Block& /*block*/) {
    take_device();
    return std::make_unique<OnDevice<Real>>(waves);
}

bool has_device() { return device_count() > 0; }

template std::unique_ptr<Propagator<float>> on_device(Waves<float>&, const stencil::Block&);
template std::unique_ptr<Propagator<double>> on_device(Waves<double>&, const stencil::Block&);

}  // namespace waywiser::propa
