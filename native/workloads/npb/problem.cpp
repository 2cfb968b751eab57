#include "workloads/npb/problem.hpp"

#include "workloads/npb/exact.hpp"

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

void Halo::start(const Field& field) {
    auto request = requests_.begin();
    for (Message& m : messages_) {
        MPI_Irecv(m.received.data(), static_cast<int>(m.received.size()), MPI_DOUBLE, m.face.neighbour, halo_tag,
                  communicator_, &*request++);
    }
    for (Message& m : messages_) {
        double* next = m.sent.data();
        each_point(m.face.send, [&](const Index3& p) { next = std::ranges::copy(field.get(p), next).out; });
        MPI_Isend(m.sent.data(), static_cast<int>(m.sent.size()), MPI_DOUBLE, m.face.neighbour, halo_tag, communicator_,
                  &*request++);
    }
}

void Halo::finish(Field& field) {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (const Message& m : messages_) {
        const double* next = m.received.data();
        each_point(m.face.receive, [&](const Index3& p) {
            Vector5 u{};
            std::copy_n(next, Field::unknowns, u.begin());
            field.set(p, u);
            next += Field::unknowns;
        });
    }
}

Problem::Problem(const Cartesian& parts, double time_step, Evaluate* by, MPI_Comm ranks)
    : cartesian(parts),
      dt(time_step),
      communicator(ranks),
      u(parts.owned_points()),
      rhs(parts.owned_points()),
      evaluate_(by),
      core_(inner_points(parts)),
      forcing_(parts.owned_points()),
      halo_(parts, ranks) {
    // What the operator makes of the exact solution, with the opposite sign: so that nothing changes it.
    fill_exact(cartesian, u);
    add_operator(cartesian, core_, u, forcing_);
    for (double& value : forcing_.values()) value = -value;
    for (const std::size_t axis : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
        if (cartesian.neighbour(axis, Side::low) >= 0) {
            shells_.push_back(core_);
            core_.lo[axis] = shells_.back().hi[axis] = std::min(core_.lo[axis] + Field::halo, core_.hi[axis]);
        }
        if (cartesian.neighbour(axis, Side::high) >= 0) {
            shells_.push_back(core_);
            core_.hi[axis] = shells_.back().lo[axis] = std::max(core_.hi[axis] - Field::halo, core_.lo[axis]);
        }
    }
}

void Problem::start() { fill_initial(cartesian, u); }

void Problem::evaluate(double factor) {
    halo_.start(u);
    evaluate(core_, factor);
    halo_.finish(u);
    for (const Region& shell : shells_) evaluate(shell, factor);
}

void Problem::evaluate(const Region& region, double factor) { evaluate_(cartesian, region, u, forcing_, factor, rhs); }

void Problem::add(double factor) {
    const Region inner = inner_points(cartesian);
    for (Index k = inner.lo[2]; k < inner.hi[2]; ++k) {
        for (Index j = inner.lo[1]; j < inner.hi[1]; ++j) {
            for (Index m = 0; m < Field::unknowns; ++m) {
                double* to = u.at({inner.lo[0], j, k}) + m * u.between();
                const double* change = rhs.at({inner.lo[0], j, k}) + m * u.between();
                for (Index i = 0; i < inner.extent(0); ++i) to[i] += factor * change[i];
            }
        }
    }
}

}  // namespace waywiser::npb
