/// One rank's part of the problem: the fields, their halos, and the right-hand side.
#pragma once

#include "workloads/common/faces.hpp"
#include "workloads/npb/field.hpp"
#include "workloads/npb/layout.hpp"
#include "workloads/npb/operator.hpp"

#include <mpi.h>

#include <vector>

namespace waywiser::npb {

/// A box of the rank, and its fields.
struct Cell {
    explicit Cell(const Cartesian& place);

    Cartesian cartesian;  ///< the box's place among all boxes
    Field u;
    Field rhs;
    Field forcing;
    Region core;                 ///< inner points that need no halo
    std::vector<Region> shells;  ///< inner points that need the halo
};

/// Exchanges faces two points wide with all neighbours at the same time: one message to each side of each axis. For
/// NPB's messages, LU uses blocking sends.
class Halo {
public:
    /// \throws InvalidInput  if a rank has fewer than two points on an axis that is cut; on all ranks
    Halo(const Partition& partition, MPI_Comm communicator);

    /// Collective: starts to send the faces of u to the neighbours. Until `finish`, u must not change.
    void start(const std::vector<Cell>& cells);
    /// Collective: fills the halos of u.
    void finish(std::vector<Cell>& cells);

private:
    struct Part {
        std::size_t cell;
        Face face;
    };
    struct Message {
        int neighbour;
        int sent_tag, received_tag;
        std::vector<Part> parts;
        std::vector<double> sent, received;
    };

    std::vector<Message> messages_;
    std::vector<MPI_Request> requests_;
    bool as_npb_lu_;
    MPI_Comm communicator_;
};

class Problem {
public:
    /// Collective over the ranks of the partition, which are those of `communicator`.
    Problem(const Partition& partition, double dt, Evaluate* evaluate, MPI_Comm communicator);

    /// Sets u to the initial field of the iterations.
    void start();

    /// Collective: rhs = factor (forcing + the operator on u), at inner points. Points that need no halo are computed
    /// during the exchange.
    void evaluate(double factor);

    /// Collective: fills the halos of u.
    void exchange();

    /// u += factor rhs
    void add(double factor);

    /// Number of points on an axis of the cube.
    [[nodiscard]] Index points() const { return cells.front().cartesian.points()[0]; }

    Partition partition;
    double dt;
    MPI_Comm communicator;
    std::vector<Cell> cells;

private:
    Evaluate* evaluate_;
    Halo halo_;
};

}  // namespace waywiser::npb
