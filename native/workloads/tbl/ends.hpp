/// The ends of a flow that is open along axis 1: inflow, outflow, and their balance.
#pragma once

#include "workloads/tbl/flow.hpp"

namespace waywiser::tbl {

class Ends {
public:
    /// Collective: of a flow whose inflow, outflow and top are set. Corrects the outflow.
    explicit Ends(Flow& flow);

    /// Collective: carries what is at the outflow along at the mean velocity there, and corrects the outflow by a
    /// factor so that as much leaves as enters.
    void advance(Flow& flow, double interval);

private:
    void balance(Flow& flow);

    double speed_ = 0;  ///< mean velocity at the outflow
};

}  // namespace waywiser::tbl
