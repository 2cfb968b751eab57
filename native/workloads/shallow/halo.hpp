/// The exchange of what ranks need of each other before a stage.
#pragma once

#include "workloads/common/stopwatch.hpp"
#include "workloads/shallow/domain.hpp"

#include <mpi.h>

#include <memory>
#include <string_view>

namespace waywiser::shallow {

/// One message to each neighbour, and one from each.
class Transfer;

struct HaloTimes {
    double packing_s = 0;
    double waiting_s = 0;
};

class Halo {
public:
    /// Collective.
    Halo(const Domain& domain, Index levels, std::string_view way, bool is_packed, MPI_Comm communicator);
    ~Halo();

    /// Collective: sets the halo's rows to their owners' values.
    void exchange(State& state);

    [[nodiscard]] const HaloTimes& times() const { return times_; }

private:
    std::vector<std::unique_ptr<Transfer>> transfers_;
    HaloTimes times_;
    Stopwatch watch_;
};

}  // namespace waywiser::shallow
