#include "workloads/rupture/exchange.hpp"

#include "workloads/common/faces.hpp"

#include <algorithm>

namespace waywiser::rupture {

template <class Real>
Exchange<Real>::Exchange(const MeshPart& mesh, Real* published, std::int64_t received, std::vector<std::int64_t> slots,
                         int values, MPI_Comm communicator)
    : published_(published),
      slots_(std::move(slots)),
      values_(values),
      sent_(slots_.size() * static_cast<std::size_t>(values)) {
    constexpr int tag = 0;
    std::int64_t begin = 0;
    for (const NeighbourPart& neighbour : mesh.neighbours) {
        const int count = neighbour.ghosts * values;
        requests_.resize(requests_.size() + 2);
        MPI_Recv_init(published + received + begin, count, mpi_type<Real>(), neighbour.part, tag, communicator,
                      &requests_[requests_.size() - 2]);
        MPI_Send_init(sent_.data() + begin, count, mpi_type<Real>(), neighbour.part, tag, communicator,
                      &requests_[requests_.size() - 1]);
        begin += count;
    }
}

template <class Real>
Exchange<Real>::~Exchange() {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
}

template <class Real>
void Exchange<Real>::start() {
    if (requests_.empty()) return;  // Open MPI refuses to start none
    const auto count = static_cast<std::int64_t>(slots_.size());
#pragma omp parallel for
    for (std::int64_t i = 0; i < count; ++i) {
        std::copy_n(published_ + slots_[static_cast<std::size_t>(i)], values_, sent_.data() + i * values_);
    }
    MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
}

template <class Real>
void Exchange<Real>::finish() {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
}

template class Exchange<float>;
template class Exchange<double>;

}  // namespace waywiser::rupture
