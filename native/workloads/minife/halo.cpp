#include "workloads/minife/halo.hpp"

#include <type_traits>

namespace waywiser::minife {
namespace {

/// Number of nodes below which packing is faster than waking threads.
constexpr Index worth_a_thread = 4096;

Index nodes(const std::vector<Neighbour>& neighbours, Box Neighbour::* box) {
    Index sum = 0;
    for (const Neighbour& neighbour : neighbours) sum += (neighbour.*box).volume();
    return sum;
}

}  // namespace

std::vector<Neighbour> find_neighbours(const Mesh& mesh, std::span<const Box> owned, int rank) {
    const Box& mine = owned[static_cast<std::size_t>(rank)];
    const Box needed = mesh.with_neighbours(mine);
    std::vector<Neighbour> result;
    for (std::size_t peer = 0; peer < owned.size(); ++peer) {
        const Box& theirs = owned[peer];
        const Box receive = intersection(needed, theirs);
        if (static_cast<int>(peer) == rank || receive.volume() == 0) continue;
        result.push_back({static_cast<int>(peer), receive, intersection(mesh.with_neighbours(theirs), mine)});
    }
    return result;
}

template <typename Real>
Halo<Real>::Halo(std::vector<Neighbour> neighbours, const Layout& layout, MPI_Comm communicator)
    : neighbours_(std::move(neighbours)),
      communicator_(communicator),
      sent_(nodes(neighbours_, &Neighbour::send)),
      received_(nodes(neighbours_, &Neighbour::receive)),
      requests_(neighbours_.size()) {
    const auto list = [&](Nodes& to, Box Neighbour::* box) {
        Index k = 0;
        for (const Neighbour& neighbour : neighbours_) {
            for_each(neighbour.*box,
                     [&](const Index3& node) { to.positions[k++] = static_cast<std::int32_t>(layout.position(node)); });
        }
    };
    list(sent_, &Neighbour::send);
    list(received_, &Neighbour::receive);
}

// These are the calls of miniFE: Irecv from all, a blocking Send and a Wait for each; never a Waitall.
template <typename Real>
void Halo<Real>::start(Real* field) {
    constexpr int tag = 99;
    const MPI_Datatype type = std::is_same_v<Real, double> ? MPI_DOUBLE : MPI_FLOAT;
    field_ = field;
    Real* arriving = received_.values.data();
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
        const auto count = static_cast<int>(neighbours_[i].receive.volume());
        MPI_Irecv(arriving, count, type, neighbours_[i].rank, tag, communicator_, &requests_[i]);
        arriving += count;
    }
#pragma omp parallel for if (sent_nodes() >= worth_a_thread)
    for (Index k = 0; k < sent_nodes(); ++k) sent_.values[k] = field[sent_.positions[k]];
    const Real* leaving = sent_.values.data();
    for (const Neighbour& to : neighbours_) {
        const auto count = static_cast<int>(to.send.volume());
        MPI_Send(leaving, count, type, to.rank, tag, communicator_);
        leaving += count;
    }
}

template <typename Real>
void Halo<Real>::finish() {
    for (MPI_Request& request : requests_) MPI_Wait(&request, MPI_STATUS_IGNORE);
#pragma omp parallel for if (received_nodes() >= worth_a_thread)
    for (Index k = 0; k < received_nodes(); ++k) field_[received_.positions[k]] = received_.values[k];
}

template class Halo<double>;
template class Halo<float>;

}  // namespace waywiser::minife
