#include "workloads/common/halo_exchange.hpp"

#include <algorithm>

namespace waywiser {
namespace {

constexpr int halo_tag = 9;

}  // namespace

template <class Real>
HaloExchange<Real>::HaloExchange(const Cartesian& cartesian, const Grid<Real>& shape, const Index3& width,
                                 MPI_Comm communicator)
    : interior_(shape.inner_region()) {
    const std::vector<Face> faces = find_faces(cartesian, shape.inner(), width);
    messages_.reserve(faces.size());  // Requests point into the messages' arrays, whose memory must not move.
    for (const Face& face : faces) {
        add_message(face, communicator);
        cut_shell(face.axis, face.side, width[face.axis]);
    }
}

template <class Real>
void HaloExchange<Real>::add_message(const Face& face, MPI_Comm communicator) {
    const Index points = face.send.points();
    Message message{.face = face,
                    .sent = Array<Real>(static_cast<std::size_t>(points)),
                    .received = Array<Real>(static_cast<std::size_t>(points))};
    received_points_ += points;

    // No axis is periodic, so that two ranks share at most one face, and one tag suffices.
    requests_.resize(requests_.size() + 2);
    MPI_Recv_init(message.received.data(), static_cast<int>(points), mpi_type<Real>(), face.neighbour, halo_tag,
                  communicator, &requests_[requests_.size() - 2]);
    MPI_Send_init(message.sent.data(), static_cast<int>(points), mpi_type<Real>(), face.neighbour, halo_tag,
                  communicator, &requests_[requests_.size() - 1]);
    messages_.push_back(std::move(message));
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
    if (messages_.empty()) return;  // Open MPI rejects an empty list of requests.
    for (Message& message : messages_) pack(grid, message.face.send, message.sent.data());
    MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
}

template <class Real>
void HaloExchange<Real>::finish(Grid<Real>& grid) {
    if (messages_.empty()) return;
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (const Message& message : messages_) unpack(message.received.data(), message.face.receive, grid);
}

template class HaloExchange<float>;
template class HaloExchange<double>;

}  // namespace waywiser
