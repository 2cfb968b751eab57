/// The nodes that ranks need from each other, and their exchange.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/minife/layout.hpp"

#include <mpi.h>

#include <span>
#include <vector>

namespace waywiser::minife {

/// A rank whose box touches this rank's box. Both ranks number boxes of nodes with x fastest, so that sender and
/// receiver agree on the order without communication.
struct Neighbour {
    int rank;
    Box receive;  ///< the neighbour's nodes that this rank's rows refer to
    Box send;     ///< this rank's nodes that the neighbour's rows refer to
};

/// The neighbours in order of rank, computed from the boxes of owned nodes only.
[[nodiscard]] std::vector<Neighbour> find_neighbours(const Mesh& mesh, std::span<const Box> owned, int rank);

/// Real: double or float.
template <typename Real>
class Halo {
public:
    Halo(std::vector<Neighbour> neighbours, const Layout& layout, MPI_Comm communicator);

    /// Posts the receives, packs, and sends to each neighbour in turn. The caller must keep `field` until `finish`.
    void start(Real* field);
    /// Waits for the receives, one by one, and unpacks. The field is complete afterwards.
    void finish();

    [[nodiscard]] std::span<const Neighbour> neighbours() const { return neighbours_; }
    [[nodiscard]] Index received_nodes() const { return static_cast<Index>(received_.positions.size()); }
    [[nodiscard]] Index sent_nodes() const { return static_cast<Index>(sent_.positions.size()); }
    /// Bytes that one exchange moves: position and value read, value written, on either side.
    [[nodiscard]] Index bytes() const { return (4 + 2 * Index{sizeof(Real)}) * (sent_nodes() + received_nodes()); }

private:
    struct Nodes {
        explicit Nodes(Index count)
            : positions(static_cast<std::size_t>(count)), values(static_cast<std::size_t>(count)) {}
        Array<std::int32_t> positions;  ///< positions in a field, neighbour by neighbour
        Array<Real> values;
    };

    std::vector<Neighbour> neighbours_;
    MPI_Comm communicator_;
    Nodes sent_;
    Nodes received_;
    std::vector<MPI_Request> requests_;
    Real* field_ = nullptr;
};

}  // namespace waywiser::minife
