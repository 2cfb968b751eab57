/// Transport of cells' published values to the ranks that hold their neighbours.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/rupture/cells.hpp"
#include "workloads/rupture/messenger.hpp"
#include "workloads/rupture/parcels.hpp"

#include <array>
#include <vector>

namespace waywiser::rupture {

/// Persistent requests, one message for each neighbouring rank and pair of clusters. It travels once in a step of the
/// slower of both: the sum over two steps of a faster one, or both halves of a slower one's step. Received values go
/// right to where cells read them.
template <class Real>
class Exchange {
public:
    Exchange(const MeshPart& mesh, Cells<Real>& cells, MPI_Comm communicator, Messenger& messenger);

    /// Starts to receive what is read from this tick on.
    void open(std::int64_t tick);
    /// Sends what is complete now that the cluster has published the step that begins at this tick.
    void send(int cluster, std::int64_t tick);
    /// Returns when the cluster can read all that it needs.
    void receive(int cluster);
    /// Bytes sent so far.
    [[nodiscard]] std::int64_t sent_bytes() const { return sent_bytes_; }

private:
    /// Messages between a cluster here and one there.
    struct Link {
        std::int64_t period = 0;  ///< ticks
        std::vector<std::int64_t> slots;
        Array<Real> sent;
        int receives = 0;
        int sends = 0;
    };

    void fill(Link& link, const std::vector<Parcel>& parcels, Cells<Real>& cells, MPI_Comm communicator);

    const Real* published_;
    int values_;
    Messenger& messenger_;
    /// by the local cluster, and by the other cluster's number minus it: -1, 0, 1
    std::vector<std::array<Link, 3>> links_;
    std::int64_t sent_bytes_ = 0;
};

}  // namespace waywiser::rupture
