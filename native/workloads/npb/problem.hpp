/// One rank's part of the problem: the fields, their halos, and the right-hand side.
#pragma once

#include "workloads/common/faces.hpp"
#include "workloads/npb/field.hpp"
#include "workloads/npb/operator.hpp"

#include <mpi.h>

#include <vector>

namespace waywiser::npb {

/// Exchanges faces two points wide with the neighbours, all at the same time.
class Halo {
public:
    /// \throws InvalidInput  if a rank has fewer points on an axis that is cut; on all ranks
    Halo(const Cartesian& cartesian, MPI_Comm communicator);

    /// Collective: begins to send what neighbours need of the field, which may be read until `finish`.
    void start(const Field& field);
    /// Collective: fills the halo of the field.
    void finish(Field& field);

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
    Problem(const Cartesian& cartesian, double dt, Evaluate* evaluate, MPI_Comm communicator);

    /// Sets u to the field that iterations begin with.
    void start();

    /// Collective: rhs = factor (forcing + the operator on u), at inner points. Those that need no halo are computed
    /// while it is under way.
    void evaluate(double factor);

    /// u += factor rhs
    void add(double factor);

    Cartesian cartesian;
    double dt;
    MPI_Comm communicator;
    Field u;
    Field rhs;

private:
    void evaluate(const Region& region, double factor);

    Evaluate* evaluate_;
    Region core_;                 ///< inner points that need no halo
    std::vector<Region> shells_;  ///< the others
    Field forcing_;
    Halo halo_;
};

}  // namespace waywiser::npb
