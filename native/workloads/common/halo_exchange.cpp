#include "workloads/common/halo_exchange.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

namespace waywiser {
namespace {

constexpr int tag = 9;

template <class Real>
MPI_Datatype datatype() {
    return std::is_same_v<Real, float> ? MPI_FLOAT : MPI_DOUBLE;
}

template <class Real>
void pack(const Grid<Real>& grid, const Region& region, Real* packed) {
    const Index length = region.extent(0);
#pragma omp parallel for collapse(2) schedule(static)
    for (Index i3 = region.lo[2]; i3 < region.hi[2]; ++i3) {
        for (Index i2 = region.lo[1]; i2 < region.hi[1]; ++i2) {
            const Real* from = grid.row(i2, i3) + region.lo[0];
            std::copy_n(from, length, packed + length * (i2 - region.lo[1] + region.extent(1) * (i3 - region.lo[2])));
        }
    }
}

template <class Real>
void unpack(const Real* packed, const Region& region, Grid<Real>& grid) {
    const Index length = region.extent(0);
#pragma omp parallel for collapse(2) schedule(static)
    for (Index i3 = region.lo[2]; i3 < region.hi[2]; ++i3) {
        for (Index i2 = region.lo[1]; i2 < region.hi[1]; ++i2) {
            const Real* from = packed + length * (i2 - region.lo[1] + region.extent(1) * (i3 - region.lo[2]));
            std::copy_n(from, length, grid.row(i2, i3) + region.lo[0]);
        }
    }
}

/// The shortest box of any rank: n points cut into p differ by one at most.
void require_width(const Cartesian& cartesian, std::size_t axis, Index width) {
    const Index least = cartesian.points()[axis] / cartesian.ranks()[axis];
    require(cartesian.ranks()[axis] == 1 || least >= width,
            std::to_string(cartesian.ranks()[axis]) + " ranks on axis " + std::to_string(axis + 1) +
                " leave one with " + std::to_string(least) + " points, and its neighbours need " +
                std::to_string(width) + ": give fewer ranks on that axis, more points, or a lower order");
}

}  // namespace

template <class Real>
HaloExchange<Real>::HaloExchange(const Cartesian& cartesian, const Grid<Real>& shape, const Index3& width,
                                 MPI_Comm communicator)
    : interior_(shape.inner_region()) {
    for (std::size_t axis = 0; axis < 3; ++axis) require_width(cartesian, axis, width[axis]);
    faces_.reserve(6);  // requests point into the faces' arrays, which move with them; their memory does not
    for (const std::size_t axis : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
        for (const Side side : {Side::low, Side::high}) {
            if (cartesian.neighbour(axis, side) < 0 || width[axis] == 0) continue;
            add_face(cartesian, shape, axis, side, width[axis], communicator);
            cut_shell(axis, side, width[axis]);
        }
    }
}

template <class Real>
void HaloExchange<Real>::add_face(const Cartesian& cartesian, const Grid<Real>& shape, std::size_t axis, Side side,
                                  Index width, MPI_Comm communicator) {
    const Index n = shape.inner()[axis];
    Face face{.send = shape.inner_region(), .receive = shape.inner_region(), .sent = {}, .received = {}};
    face.send.lo[axis] = side == Side::low ? 0 : n - width;
    face.send.hi[axis] = face.send.lo[axis] + width;
    face.receive.lo[axis] = side == Side::low ? -width : n;
    face.receive.hi[axis] = face.receive.lo[axis] + width;
    const Index points = face.send.points();
    face.sent = Array<Real>(static_cast<std::size_t>(points));
    face.received = Array<Real>(static_cast<std::size_t>(points));
    received_points_ += points;

    // No axis wraps around, so that two ranks share one face at most, and one tag is enough.
    const int neighbour = cartesian.neighbour(axis, side);
    requests_.resize(requests_.size() + 2);
    MPI_Recv_init(face.received.data(), static_cast<int>(points), datatype<Real>(), neighbour, tag, communicator,
                  &requests_[requests_.size() - 2]);
    MPI_Send_init(face.sent.data(), static_cast<int>(points), datatype<Real>(), neighbour, tag, communicator,
                  &requests_[requests_.size() - 1]);
    faces_.push_back(std::move(face));
}

template <class Real>
void HaloExchange<Real>::cut_shell(std::size_t axis, Side side, Index width) {
    Region box = interior_;
    if (side == Side::low) {
        box.hi[axis] = std::min(box.lo[axis] + width, interior_.hi[axis]);
        interior_.lo[axis] = box.hi[axis];
    } else {
        box.lo[axis] = std::max(box.hi[axis] - width, interior_.lo[axis]);
        interior_.hi[axis] = box.lo[axis];
    }
    if (box.points() > 0) shell_.push_back(box);
}

template <class Real>
HaloExchange<Real>::~HaloExchange() {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
}

template <class Real>
void HaloExchange<Real>::start(const Grid<Real>& grid) {
    if (faces_.empty()) return;  // Open MPI refuses to start no request at all
    for (Face& face : faces_) pack(grid, face.send, face.sent.data());
    MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
}

template <class Real>
void HaloExchange<Real>::finish(Grid<Real>& grid) {
    if (faces_.empty()) return;
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (const Face& face : faces_) unpack(face.received.data(), face.receive, grid);
}

template class HaloExchange<float>;
template class HaloExchange<double>;

}  // namespace waywiser
