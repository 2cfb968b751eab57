/// Half spinors that ranks exchange in a hop.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/lattice/sites.hpp"

#include <mpi.h>

#include <vector>

namespace waywiser::lattice {

class Halo {
public:
    Halo(const Sites& sites, MPI_Comm communicator);

    /// Directions that lead to another rank.
    [[nodiscard]] const std::vector<int>& faces() const { return faces_; }

    /// Posts the receives.
    void receive();
    /// Buffer of the message in a direction, for the face of one parity.
    [[nodiscard]] double* message(int direction) { return buffer(sent_, direction).data(); }
    void send(int direction);
    /// Waits for all receives and sends.
    void finish();
    /// Data received from each direction: twelve values for each block of the face, for all lanes.
    [[nodiscard]] std::array<const double*, directions> received() const;

private:
    using Buffers = std::array<Array<double>, directions>;
    [[nodiscard]] static Array<double>& buffer(Buffers& buffers, int direction) {
        return buffers[static_cast<std::size_t>(direction)];
    }
    void spread(int direction);

    const Sites& sites_;
    MPI_Comm communicator_;
    std::vector<int> faces_;
    Buffers sent_, arrived_;
    Buffers spread_;  ///< buffers of split axes, with a value for each lane
    std::vector<MPI_Request> requests_;
};

}  // namespace waywiser::lattice
