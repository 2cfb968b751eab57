#include "workloads/npb/problem.hpp"

#include "workloads/npb/exact.hpp"
#include "workloads/npb/operator.hpp"

namespace waywiser::npb {
namespace {

constexpr int halo_tag = 1;

std::size_t values_of(const Region& region) { return static_cast<std::size_t>(Field::unknowns * region.points()); }

}  // namespace

Halo::Halo(const Cartesian& cartesian, MPI_Comm communicator) : communicator_(communicator) {
    const Index3 width{Field::halo, Field::halo, Field::halo};
    for (const Face& face : find_faces(cartesian, cartesian.owned_points(), width)) {
        messages_.push_back(
            {face, std::vector<double>(values_of(face.send)), std::vector<double>(values_of(face.receive))});
    }
    requests_.resize(2 * messages_.size());
}

void Halo::exchange(Field& field) {
    auto request = requests_.begin();
    for (Message& m : messages_) {
        MPI_Irecv(m.received.data(), static_cast<int>(m.received.size()), MPI_DOUBLE, m.face.neighbour, halo_tag,
                  communicator_, &*request++);
    }
    for (Message& m : messages_) {
        double* next = m.sent.data();
        each_point(m.face.send, [&](const Index3& p) { next = std::copy_n(field.at(p), Field::unknowns, next); });
        MPI_Isend(m.sent.data(), static_cast<int>(m.sent.size()), MPI_DOUBLE, m.face.neighbour, halo_tag, communicator_,
                  &*request++);
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (const Message& m : messages_) {
        const double* next = m.received.data();
        each_point(m.face.receive, [&](const Index3& p) {
            std::copy_n(next, Field::unknowns, field.at(p));
            next += Field::unknowns;
        });
    }
}

Problem::Problem(const Cartesian& parts, double time_step, MPI_Comm ranks)
    : cartesian(parts),
      dt(time_step),
      communicator(ranks),
      u(parts.owned_points()),
      rhs(parts.owned_points()),
      forcing_(parts.owned_points()),
      halo_(parts, ranks) {
    // What the operator makes of the exact solution, with the opposite sign: so that nothing changes it.
    fill_exact(cartesian, u);
    add_operator(cartesian, u, forcing_);
    for (double& value : forcing_.values()) value = -value;
}

void Problem::start() { fill_initial(cartesian, u); }

void Problem::evaluate() {
    halo_.exchange(u);
    std::ranges::copy(forcing_.values(), rhs.values().begin());
    add_operator(cartesian, u, rhs);
}

}  // namespace waywiser::npb
