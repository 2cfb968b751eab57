/// One-time exchange between ranks that share faces.
#pragma once

#include "workloads/rupture/mesh_file.hpp"

#include <mpi.h>

#include <vector>

namespace waywiser::rupture {

/// Returns the values of the cells behind this rank's ghost faces. Each rank passes `own`, the values of its own cells
/// at these faces. Both are in the order of ghosts. Collective.
template <class Value>
[[nodiscard]] std::vector<Value> exchange_with_neighbours(const MeshPart& mesh, const std::vector<Value>& own,
                                                          MPI_Comm communicator) {
    std::vector<Value> received(own.size());
    std::vector<MPI_Request> requests;
    std::size_t begin = 0;
    for (const NeighbourPart& neighbour : mesh.neighbours) {
        requests.resize(requests.size() + 2);
        const int bytes = neighbour.ghosts * static_cast<int>(sizeof(Value));
        MPI_Irecv(&received[begin], bytes, MPI_BYTE, neighbour.part, 0, communicator, &requests[requests.size() - 2]);
        MPI_Isend(&own[begin], bytes, MPI_BYTE, neighbour.part, 0, communicator, &requests[requests.size() - 1]);
        begin += static_cast<std::size_t>(neighbour.ghosts);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return received;
}

}  // namespace waywiser::rupture
