/// One rank's part of the problem: the fields, their halos, and the right-hand side.
#pragma once

#include "workloads/common/faces.hpp"
#include "workloads/npb/field.hpp"

#include <mpi.h>

#include <vector>

namespace waywiser::npb {

/// Exchanges faces two points wide with the neighbours, all at the same time.
class Halo {
public:
    /// \throws InvalidInput  if a rank has fewer points on an axis that is cut; on all ranks
    Halo(const Cartesian& cartesian, MPI_Comm communicator);

    /// Collective.
    void exchange(Field& field);

private:
    struct Message {
        Face face;
        std::vector<double> sent;
        std::vector<double> received;
    };

    std::vector<Message> messages_;
    std::vector<MPI_Request> requests_;
    MPI_Comm communicator_;
};

class Problem {
public:
    /// Collective over the ranks of `cartesian`, which are those of `communicator`.
    Problem(const Cartesian& cartesian, double dt, MPI_Comm communicator);

    /// Sets u to the field that iterations begin with.
    void start();

    /// Collective: rhs = forcing + the operator on u, at inner points.
    void evaluate();

    Cartesian cartesian;
    double dt;
    MPI_Comm communicator;
    Field u;
    Field rhs;

private:
    Field forcing_;
    Halo halo_;
};

}  // namespace waywiser::npb
