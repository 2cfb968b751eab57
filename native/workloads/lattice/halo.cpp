#include "workloads/lattice/halo.hpp"

#include "workloads/lattice/fields.hpp"

#include <algorithm>

namespace waywiser::lattice {
namespace {

int opposite(int direction) { return direction ^ 1; }

}  // namespace

Halo::Halo(const Sites& sites, MPI_Comm communicator) : sites_(sites), communicator_(communicator) {
    for (int direction = 0; direction < directions; ++direction) {
        const auto axis = static_cast<std::size_t>(direction) / 2;
        if (!sites.torus().is_cut(axis)) continue;
        faces_.push_back(direction);
        const auto bytes = static_cast<std::size_t>(message_bytes(sites.torus(), axis));
        buffer(sent_, direction) = Array<double>(bytes / sizeof(double));
        buffer(arrived_, direction) = Array<double>(bytes / sizeof(double));
        if (sites.lane_bit(axis) == 0) continue;
        Array<double>& values = buffer(spread_, direction);
        values = Array<double>(2 * bytes / sizeof(double));
        std::fill_n(values.data(), values.size(), 0.0);
    }
}

void Halo::receive() {
    requests_.clear();
    for (const int direction : faces_) {
        Array<double>& values = buffer(arrived_, direction);
        MPI_Irecv(values.data(), static_cast<int>(values.size()), MPI_DOUBLE,
                  static_cast<int>(sites_.torus().neighbour(direction)), direction, communicator_,
                  &requests_.emplace_back());
    }
}

/// Sends a face. The tag is its direction, because with two ranks on an axis both messages have the same sender and
/// receiver.
void Halo::send(int direction) {
    const Array<double>& values = buffer(sent_, direction);
    MPI_Isend(values.data(), static_cast<int>(values.size()), MPI_DOUBLE,
              static_cast<int>(sites_.torus().neighbour(direction)), opposite(direction), communicator_,
              &requests_.emplace_back());
}

void Halo::finish() {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (const int direction : faces_) {
        if (sites_.lane_bit(static_cast<std::size_t>(direction) / 2) != 0) spread(direction);
    }
}

void Halo::spread(int direction) {
    const unsigned at_face = sites_.face_lanes(direction);
    const double* value = buffer(arrived_, direction).data();
    Array<double>& values = buffer(spread_, direction);
    const auto lanes = static_cast<Index>(sites_.lanes());
    for (Index group = 0; group < static_cast<Index>(values.size()) / lanes; ++group) {
        for (Index lane = 0; lane < lanes; ++lane) {
            if ((at_face >> static_cast<unsigned>(lane) & 1U) != 0) values[group * lanes + lane] = *value++;
        }
    }
}

std::array<const double*, directions> Halo::received() const {
    std::array<const double*, directions> all{};
    for (std::size_t direction = 0; direction < directions; ++direction) {
        const bool is_split = sites_.lane_bit(direction / 2) != 0;
        all[direction] = (is_split ? spread_ : arrived_)[direction].data();
    }
    return all;
}

}  // namespace waywiser::lattice
