/// The ends of a flow that is open along axis 1: inflow, outflow, and their balance.
#pragma once

#include "workloads/tbl/flow.hpp"

namespace waywiser::tbl {

class Ends {
public:
    /// Corrects the outflow of a flow whose inflow, outflow and top are set. Collective.
    explicit Ends(Flow& flow);

    /// Advects the values at the outflow with the mean velocity there, then scales the outflow so that as much fluid
    /// leaves as enters. Collective.
    void advance(Flow& flow, double interval);

private:
    void balance(Flow& flow);

    double speed_ = 0;  ///< mean velocity at the outflow
};

}  // namespace waywiser::tbl
