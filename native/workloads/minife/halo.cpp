#include "workloads/minife/halo.hpp"

namespace waywiser::minife {

std::vector<Neighbour> find_neighbours(const Mesh& mesh, std::span<const Box> element_boxes, int rank) {
    const Box mine = mesh.owned_nodes(element_boxes[static_cast<std::size_t>(rank)]);
    const Box needed = mesh.with_neighbours(mine);
    std::vector<Neighbour> result;
    Index column = mine.volume();
    for (std::size_t other = 0; other < element_boxes.size(); ++other) {
        const Box theirs = mesh.owned_nodes(element_boxes[other]);
        const Box receive = intersection(needed, theirs);
        if (static_cast<int>(other) == rank || receive.volume() == 0) continue;
        const Box send = intersection(mesh.with_neighbours(theirs), mine);
        result.push_back({static_cast<int>(other), receive, send, column});
        column += receive.volume();
    }
    return result;
}

Halo::Halo(std::vector<Neighbour> neighbours, const Box& owned, MPI_Comm communicator)
    : neighbours_(std::move(neighbours)), communicator_(communicator), requests_(neighbours_.size()) {
    Index sent_nodes = 0;
    for (const Neighbour& neighbour : neighbours_) {
        sent_nodes += neighbour.send.volume();
        received_nodes_ += neighbour.receive.volume();
    }
    send_rows_ = Array<std::int32_t>(static_cast<std::size_t>(sent_nodes));
    packed_ = Array<double>(static_cast<std::size_t>(sent_nodes));
    Index k = 0;
    for (const Neighbour& neighbour : neighbours_) {
        for_each(neighbour.send,
                 [&](const Index3& node) { send_rows_[k++] = static_cast<std::int32_t>(owned.position(node)); });
    }
}

// The calls of miniFE: Irecv from all, a blocking Send to each, a Wait for each; never a Waitall.
void Halo::start(double* x) {
    constexpr int tag = 99;
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
        const Neighbour& from = neighbours_[i];
        MPI_Irecv(x + from.first_column, static_cast<int>(from.receive.volume()), MPI_DOUBLE, from.rank, tag,
                  communicator_, &requests_[i]);
    }
    for (Index k = 0; k < sent_nodes(); ++k) packed_[k] = x[send_rows_[k]];
    const double* buffer = packed_.data();
    for (const Neighbour& to : neighbours_) {
        MPI_Send(buffer, static_cast<int>(to.send.volume()), MPI_DOUBLE, to.rank, tag, communicator_);
        buffer += to.send.volume();
    }
}

void Halo::finish() {
    for (MPI_Request& request : requests_) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace waywiser::minife
