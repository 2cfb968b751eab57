/// Transport of cells' published values to the ranks of their neighbours.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/rupture/cells.hpp"
#include "workloads/rupture/messenger.hpp"
#include "workloads/rupture/parcels.hpp"

#include <array>
#include <vector>

namespace waywiser::rupture {

/// Persistent requests, one message for each neighbouring rank and pair of clusters. A message is sent once per step of
/// the slower cluster. It contains the sum over two steps of the faster cluster, or both halves of the slower cluster's
/// step. Values are received directly in the slots from which cells read them.
template <class Real>
class Exchange {
public:
    Exchange(const MeshPart& mesh, Cells<Real>& cells, MPI_Comm communicator, Messenger& messenger);

    /// Starts receives of the values that are read from this tick on.
    void open(std::int64_t tick);
    /// Sends the values that are complete after the cluster has published the step that starts at this tick.
    void send(int cluster, std::int64_t tick);
    /// Returns when all values that the cluster needs have arrived.
    void receive(int cluster);
    /// Bytes sent so far.
    [[nodiscard]] std::int64_t sent_bytes() const { return sent_bytes_; }

private:
    /// Messages between a local and a remote cluster.
    struct Link {
        std::int64_t period = 0;  ///< ticks between two messages
        std::vector<std::int64_t> slots;
        Array<Real> sent;
        int receives = 0;
        int sends = 0;
    };

    void fill(Link& link, const std::vector<Parcel>& parcels, Cells<Real>& cells, MPI_Comm communicator);

    const Real* published_;
    int values_;
    Messenger& messenger_;
    /// first index: local cluster; second index: remote cluster less local cluster plus 1, that is 0, 1 or 2
    std::vector<std::array<Link, 3>> links_;
    std::int64_t sent_bytes_ = 0;
};

}  // namespace waywiser::rupture
