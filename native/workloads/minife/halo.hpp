/// The nodes that ranks need of each other, and their exchange.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/minife/mesh.hpp"

#include <mpi.h>

#include <span>
#include <vector>

namespace waywiser::minife {

/// A rank whose box touches ours. Both boxes of nodes are numbered x fastest on either side, so that sender and
/// receiver agree on the order without a word.
struct Neighbour {
    int rank;
    Box receive;         ///< nodes of theirs that our rows refer to
    Box send;            ///< nodes of ours that their rows refer to
    Index first_column;  ///< local column of the first node of `receive`
};

/// Computed from the decomposition alone. Halo columns follow the owned rows, grouped by owner, in order of rank.
[[nodiscard]] std::vector<Neighbour> find_neighbours(const Mesh& mesh, std::span<const Box> element_boxes, int rank);

class Halo {
public:
    Halo(std::vector<Neighbour> neighbours, const Box& owned, MPI_Comm communicator);

    /// Posts the receives into `x` behind its owned part, packs, and sends to each neighbour in turn.
    void start(double* x);
    /// Waits for the receives, one by one. `x` is complete afterwards.
    void finish();

    [[nodiscard]] std::span<const Neighbour> neighbours() const { return neighbours_; }
    [[nodiscard]] Index received_nodes() const { return received_nodes_; }
    [[nodiscard]] Index sent_nodes() const { return static_cast<Index>(send_rows_.size()); }

private:
    std::vector<Neighbour> neighbours_;
    MPI_Comm communicator_;
    Array<std::int32_t> send_rows_;  ///< rows to pack, neighbour after neighbour
    Array<double> packed_;
    std::vector<MPI_Request> requests_;
    Index received_nodes_ = 0;
};

}  // namespace waywiser::minife
