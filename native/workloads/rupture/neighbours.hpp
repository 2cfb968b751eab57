/// One-time exchange between ranks that share faces.
#pragma once

#include "workloads/rupture/mesh_file.hpp"

#include <mpi.h>

#include <vector>

namespace waywiser::rupture {

/// Returns the values of the cells behind this rank's ghost faces. Each rank passes `said`, the values of its own cells
/// at these faces. Both are in the order of ghosts. Collective.
template <class Value>
[[nodiscard]] std::vector<Value> neighbours_say(const MeshPart& mesh, const std::vector<Value>& said,
                                                MPI_Comm communicator) {
    std::vector<Value> heard(said.size());
    std::vector<MPI_Request> requests;
    std::size_t begin = 0;
    for (const NeighbourPart& neighbour : mesh.neighbours) {
        requests.resize(requests.size() + 2);
        const int bytes = neighbour.ghosts * static_cast<int>(sizeof(Value));
        MPI_Irecv(&heard[begin], bytes, MPI_BYTE, neighbour.part, 0, communicator, &requests[requests.size() - 2]);
        MPI_Isend(&said[begin], bytes, MPI_BYTE, neighbour.part, 0, communicator, &requests[requests.size() - 1]);
        begin += static_cast<std::size_t>(neighbour.ghosts);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return heard;
}

}  // namespace waywiser::rupture
