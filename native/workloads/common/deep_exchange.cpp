#include "workloads/common/deep_exchange.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace waywiser {
namespace {

constexpr int deep_tag = 10;

/// Returns the face with the halos of the other axes.
Face widened(Face face, const Region& whole) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (axis == face.axis) continue;
        for (Region* region : {&face.send, &face.receive}) {
            region->lo[axis] = whole.lo[axis];
            region->hi[axis] = whole.hi[axis];
        }
    }
    return face;
}

}  // namespace

template <class Real>
DeepExchange<Real>::DeepExchange(const Cartesian& cartesian, const Grid<Real>& shape, MPI_Comm communicator)
    : communicator_(communicator), inner_(shape.inner_region()) {
    for (const Face& narrow : find_faces(cartesian, shape.inner(), shape.halo())) {
        const Face face = widened(narrow, shape.whole_region());
        Message message{.face = face, .values = 0, .sent = {}, .received = {}};
        const Region& sent = face.send;
        const Index values = in_place(message) ? shape.offset(sent.hi[0] - 1, sent.hi[1] - 1, sent.hi[2] - 1) + 1 -
                                                     shape.offset(sent.lo[0], sent.lo[1], sent.lo[2])
                                               : sent.points();
        require(values <= std::numeric_limits<int>::max(), "a face of " + std::to_string(values) +
                                                               " values is more than a message of MPI holds: give "
                                                               "more ranks");
        message.values = static_cast<int>(values);
        if (!in_place(message)) {
            message.sent = Array<Real>(static_cast<std::size_t>(values));
            message.received = Array<Real>(static_cast<std::size_t>(values));
        }
        messages_.push_back(std::move(message));
    }
}

template <class Real>
void DeepExchange<Real>::exchange(Grid<Real>& grid) {
    for (auto first = messages_.begin(); first != messages_.end();) {
        const auto last = std::find_if(first, messages_.end(),
                                       [&](const Message& message) { return message.face.axis != first->face.axis; });
        exchange_axis({first, last}, grid);
        first = last;
    }
}

template <class Real>
void DeepExchange<Real>::exchange_axis(std::span<Message> messages, Grid<Real>& grid) {
    std::array<MPI_Request, 4> requests{};
    int started = 0;
    for (Message& message : messages) {
        Real* const to = in_place(message) ? first(grid, message.face.receive) : message.received.data();
        MPI_Irecv(to, message.values, mpi_type<Real>(), message.face.neighbour, deep_tag, communicator_,
                  &requests[static_cast<std::size_t>(started++)]);
    }
    for (Message& message : messages) {
        if (!in_place(message)) pack(grid, message.face.send, message.sent.data());
        const Real* const from = in_place(message) ? first(grid, message.face.send) : message.sent.data();
        MPI_Isend(from, message.values, mpi_type<Real>(), message.face.neighbour, deep_tag, communicator_,
                  &requests[static_cast<std::size_t>(started++)]);
    }
    MPI_Waitall(started, requests.data(), MPI_STATUSES_IGNORE);
    for (const Message& message : messages) {
        if (!in_place(message)) unpack(message.received.data(), message.face.receive, grid);
    }
}

template <class Real>
Real* DeepExchange<Real>::first(Grid<Real>& grid, const Region& region) {
    return &grid.at(region.lo[0], region.lo[1], region.lo[2]);
}

template <class Real>
Region DeepExchange<Real>::beyond(Index points) const {
    Region box = inner_;
    for (const Message& message : messages_) {
        const std::size_t axis = message.face.axis;
        if (message.face.side == Side::low) {
            box.lo[axis] = inner_.lo[axis] - points;
        } else {
            box.hi[axis] = inner_.hi[axis] + points;
        }
    }
    return box;
}

template class DeepExchange<float>;
template class DeepExchange<double>;

}  // namespace waywiser
