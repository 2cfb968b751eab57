/// The exchange of whole halos, edges and corners included, which permits several steps without another exchange.
#pragma once

#include "workloads/common/cartesian.hpp"
#include "workloads/common/faces.hpp"
#include "workloads/common/grid.hpp"

#include <mpi.h>

#include <span>
#include <vector>

namespace waywiser {

/// Exchanges one axis after the other, each face with the halos of the other axes, so that corners arrive by way of the
/// faces. Planes of axis 3 are sent directly from grid to grid, the other faces through buffers. Real is float or
/// double.
template <class Real>
class DeepExchange {
public:
    /// Collective over the ranks of `cartesian`, which are those of `communicator`.
    /// \param shape  a grid like those that will be exchanged: same inner points, same halo
    /// \throws InvalidInput  if a rank with a neighbour has fewer points on that axis than the halo; on all ranks
    DeepExchange(const Cartesian& cartesian, const Grid<Real>& shape, MPI_Comm communicator);

    /// Fills the part of the grid's halo that neighbours own.
    void exchange(Grid<Real>& grid);

    /// Returns the inner points, and `points` layers of the neighbours' points on each side with a neighbour.
    [[nodiscard]] Region beyond(Index points) const;

private:
    struct Message {
        Face face;
        int values;
        Array<Real> sent;      ///< empty for planes
        Array<Real> received;  ///< empty for planes
    };

    /// First value of a region that is sent as it lies in memory, including the memory between its rows.
    [[nodiscard]] static Real* first(Grid<Real>& grid, const Region& region);
    [[nodiscard]] static bool in_place(const Message& message) { return message.face.axis == 2; }

    void exchange_axis(std::span<Message> messages, Grid<Real>& grid);

    MPI_Comm communicator_;
    Region inner_;
    std::vector<Message> messages_;
};

}  // namespace waywiser
