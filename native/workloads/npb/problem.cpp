#include "workloads/npb/problem.hpp"

#include "workloads/npb/exact.hpp"
#include "workloads/npb/shares.hpp"

namespace waywiser::npb {
namespace {

constexpr int first_halo_tag = 10;

int tag_of(std::size_t axis, Side side) {
    return first_halo_tag + 2 * static_cast<int>(axis) + (side == Side::low ? 0 : 1);
}

std::size_t values_of(const Region& region) { return static_cast<std::size_t>(Field::unknowns * region.points()); }

/// Calls `body(row, points)` for each unknown of each row of axis 1 in a region.
template <class F, class Body>
void each_row(F& field, const Region& region, Body body) {
    const Index points = region.extent(0);
    for (Index k = region.lo[2]; k < region.hi[2]; ++k) {
        for (Index j = region.lo[1]; j < region.hi[1]; ++j) {
            for (Index m = 0; m < Field::unknowns; ++m)
                body(field.at({region.lo[0], j, k}) + m * field.between(), points);
        }
    }
}

std::vector<Cell> make_cells(const Partition& partition) {
    return std::vector<Cell>(partition.boxes.begin(), partition.boxes.end());
}

}  // namespace

Cell::Cell(const Cartesian& place)
    : cartesian(place),
      u(place.owned_points()),
      rhs(place.owned_points()),
      forcing(place.owned_points()),
      core(inner_points(place)) {
    // The forcing is minus the operator on the exact solution, which is therefore stationary.
    fill_exact(cartesian, u);
    add_operator(cartesian, core, u, forcing);
    for (double& value : forcing.values()) value = -value;
    for (const std::size_t axis : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
        if (cartesian.neighbour(axis, Side::low) >= 0) {
            shells.push_back(core);
            core.lo[axis] = shells.back().hi[axis] = std::min(core.lo[axis] + Field::halo, core.hi[axis]);
        }
        if (cartesian.neighbour(axis, Side::high) >= 0) {
            shells.push_back(core);
            core.hi[axis] = shells.back().lo[axis] = std::max(core.hi[axis] - Field::halo, core.lo[axis]);
        }
    }
}

Halo::Halo(const Partition& partition, MPI_Comm communicator)
    : as_npb_lu_(partition.as_npb && partition.name == "pencil2d"), communicator_(communicator) {
    const Index3 width{Field::halo, Field::halo, Field::halo};
    std::array<std::array<Message, 2>, 3> sides;
    for (std::size_t cell = 0; cell < partition.boxes.size(); ++cell) {
        for (const Face& face : find_faces(partition.boxes[cell], partition.boxes[cell].owned_points(), width)) {
            Message& m = sides[face.axis][face.side == Side::low ? 0 : 1];
            m.neighbour = partition.neighbour[face.axis][face.side == Side::low ? 0 : 1];
            m.sent_tag = tag_of(face.axis, face.side);
            m.received_tag = tag_of(face.axis, face.side == Side::low ? Side::high : Side::low);
            m.parts.push_back({cell, face});
            m.sent.resize(m.sent.size() + values_of(face.send));
            m.received.resize(m.received.size() + values_of(face.receive));
        }
    }
    for (auto& axis : sides) {
        for (Message& m : axis) {
            if (!m.parts.empty()) messages_.push_back(std::move(m));
        }
    }
    requests_.resize((as_npb_lu_ ? 1 : 2) * messages_.size());
}

void Halo::start(const std::vector<Cell>& cells) {
    auto request = requests_.begin();
    for (Message& m : messages_) {
        MPI_Irecv(m.received.data(), static_cast<int>(m.received.size()), MPI_DOUBLE, m.neighbour, m.received_tag,
                  communicator_, &*request++);
    }
    for (Message& m : messages_) {
        double* next = m.sent.data();
        for (const Part& part : m.parts) {
            each_row(cells[part.cell].u, part.face.send,
                     [&](const double* row, Index points) { next = std::copy_n(row, points, next); });
        }
        const auto values = static_cast<int>(m.sent.size());
        if (as_npb_lu_) {
            MPI_Send(m.sent.data(), values, MPI_DOUBLE, m.neighbour, m.sent_tag, communicator_);
        } else {
            MPI_Isend(m.sent.data(), values, MPI_DOUBLE, m.neighbour, m.sent_tag, communicator_, &*request++);
        }
    }
}

void Halo::finish(std::vector<Cell>& cells) {
    if (messages_.empty()) return;
    if (as_npb_lu_) {
        for (MPI_Request& request : requests_) MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    }
    for (const Message& m : messages_) {
        const double* next = m.received.data();
        for (const Part& part : m.parts) {
            each_row(cells[part.cell].u, part.face.receive, [&](double* row, Index points) {
                std::copy_n(next, points, row);
                next += points;
            });
        }
    }
}

Problem::Problem(const Partition& parts, double time_step, Evaluate* by, MPI_Comm ranks)
    : partition(parts),
      dt(time_step),
      communicator(ranks),
      cells(make_cells(parts)),
      evaluate_(by),
      halo_(parts, ranks) {}

void Problem::start() {
    for (Cell& cell : cells) fill_initial(cell.cartesian, cell.u);
}

void Problem::evaluate(double factor) {
    const auto evaluate_in = [&](Cell& cell, const Region& region) {
#pragma omp parallel
        evaluate_(cell.cartesian, share_of_thread(region), cell.u, cell.forcing, factor, cell.rhs);
    };
    halo_.start(cells);
    for (Cell& cell : cells) evaluate_in(cell, cell.core);
    halo_.finish(cells);
    for (Cell& cell : cells) {
        for (const Region& shell : cell.shells) evaluate_in(cell, shell);
    }
}

void Problem::exchange() {
    halo_.start(cells);
    halo_.finish(cells);
}

void Problem::add(double factor) {
    for (Cell& cell : cells) {
        const Region inner = inner_points(cell.cartesian);
#pragma omp parallel for schedule(static)
        for (Index k = inner.lo[2]; k < inner.hi[2]; ++k) {
            for (Index j = inner.lo[1]; j < inner.hi[1]; ++j) {
                for (Index m = 0; m < Field::unknowns; ++m) {
                    double* to = cell.u.at({inner.lo[0], j, k}) + m * cell.u.between();
                    const double* change = cell.rhs.at({inner.lo[0], j, k}) + m * cell.u.between();
                    for (Index i = 0; i < inner.extent(0); ++i) to[i] += factor * change[i];
                }
            }
        }
    }
}

}  // namespace waywiser::npb
