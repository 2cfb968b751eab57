/// The exchange of halos before each stage.
#pragma once

#include "workloads/common/stopwatch.hpp"
#include "workloads/shallow/domain.hpp"

#include <mpi.h>

#include <memory>
#include <string_view>

namespace waywiser::shallow {

/// One message to and one from each neighbour.
class Transfer;

struct HaloTimes {
    double packing_s = 0;
    double waiting_s = 0;
};

class Halo {
public:
    /// Collective.
    Halo(const Domain& domain, Index levels, std::string_view method, bool is_packed, MPI_Comm communicator);
    ~Halo();

    /// Sets the halo's rows to their owners' values. Collective.
    void exchange(State& state);

    [[nodiscard]] const HaloTimes& times() const { return times_; }

private:
    std::vector<std::unique_ptr<Transfer>> transfers_;
    HaloTimes times_;
    Stopwatch watch_;
};

}  // namespace waywiser::shallow
