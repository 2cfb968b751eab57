#include "workloads/npb/edges.hpp"

namespace waywiser::npb {

void Edges::receive(Index plane, Side from) {
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
        const int neighbour = cell_.cartesian.neighbour(axis, from);
        if (neighbour < 0) continue;
        values_.resize(static_cast<std::size_t>(Field::unknowns * inner_.extent(1 - axis)));
        MPI_Recv(values_.data(), static_cast<int>(values_.size()), MPI_DOUBLE, neighbour, tag, problem_.communicator,
                 MPI_STATUS_IGNORE);
        const double* next = values_.data();
        each_point(edge(axis, plane, from == Side::low ? inner_.lo[axis] - 1 : inner_.hi[axis]), [&](const Index3& p) {
            Vector5 value{};
            std::copy_n(next, Field::unknowns, value.begin());
            cell_.rhs.set(p, value);
            next += Field::unknowns;
        });
    }
}

void Edges::send(Index plane, Side to) {
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
        const int neighbour = cell_.cartesian.neighbour(axis, to);
        if (neighbour < 0) continue;
        values_.clear();
        each_point(edge(axis, plane, to == Side::low ? inner_.lo[axis] : inner_.hi[axis] - 1), [&](const Index3& p) {
            const Vector5 value = cell_.rhs.get(p);
            values_.insert(values_.end(), value.begin(), value.end());
        });
        MPI_Send(values_.data(), static_cast<int>(values_.size()), MPI_DOUBLE, neighbour, tag, problem_.communicator);
    }
}

Region Edges::edge(std::size_t axis, Index plane, Index at) const {
    Region points = inner_;
    points.lo[axis] = at;
    points.hi[axis] = at + 1;
    points.lo[2] = plane;
    points.hi[2] = plane + 1;
    return points;
}

}  // namespace waywiser::npb
