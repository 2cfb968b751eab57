/// The exchange of a grid's faces with the neighbours of a rank.
#pragma once

#include "workloads/common/cartesian.hpp"
#include "workloads/common/faces.hpp"
#include "workloads/common/grid.hpp"

#include <mpi.h>

#include <vector>

namespace waywiser {

/// Exchanges faces without edges and corners, which suffices for stencils along the axes. Faces are packed and sent by
/// persistent requests. Real is float or double.
///
/// Between `start` and `finish`, computations that read no halo may run; the grid's points next to a face must not
/// change before `start`, and its halo is undefined until `finish`.
template <class Real>
class HaloExchange {
public:
    /// Collective over the ranks of `cartesian`, which are those of `communicator`.
    /// \param shape  a grid like those that will be exchanged: same inner points, same halo
    /// \param width  exchanged points on each axis, at most the halo's
    /// \throws InvalidInput  if a rank with a neighbour has fewer points on that axis than `width`; on all ranks
    HaloExchange(const Cartesian& cartesian, const Grid<Real>& shape, const Index3& width, MPI_Comm communicator);
    HaloExchange(const HaloExchange&) = delete;
    HaloExchange& operator=(const HaloExchange&) = delete;
    ~HaloExchange();

    void start(const Grid<Real>& grid);
    void finish(Grid<Real>& grid);

    /// Points that this rank receives in each exchange.
    [[nodiscard]] Index received_points() const { return received_points_; }
    [[nodiscard]] Index received_bytes() const { return received_points_ * static_cast<Index>(sizeof(Real)); }
    [[nodiscard]] int neighbours() const { return static_cast<int>(messages_.size()); }

    /// Points whose stencils read no exchanged halo.
    [[nodiscard]] const Region& interior() const { return interior_; }
    /// The rest of the inner points, in up to six boxes.
    [[nodiscard]] const std::vector<Region>& shell() const { return shell_; }

private:
    struct Message {
        Face face;
        Array<Real> sent;
        Array<Real> received;
    };

    void add_message(const Face& face, MPI_Comm communicator);
    void cut_shell(std::size_t axis, Side side, Index width);

    std::vector<Message> messages_;
    std::vector<MPI_Request> requests_;  ///< a receive and a send per face
    Region interior_;
    std::vector<Region> shell_;
    Index received_points_ = 0;
};

}  // namespace waywiser
