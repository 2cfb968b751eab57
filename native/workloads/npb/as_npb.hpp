/// NPB's calls beside its messages, so that a run with `--messages npb` has the profile of an NPB run.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/npb/settings.hpp"

#include <mpi.h>

namespace waywiser::npb {

/// While it lives, calls of MPI are this program's own, which NPB does not have: phase 2 of a profile.
class OwnCalls {
public:
    /// \param as_npb  otherwise it does nothing
    explicit OwnCalls(bool as_npb);
    OwnCalls(const OwnCalls&) = delete;
    OwnCalls& operator=(const OwnCalls&) = delete;
    ~OwnCalls();

private:
    bool as_npb_;
};

/// Collective: copies of the communicator (BT and SP), and the input, which each rank has already.
void start_as_npb(const Settings& settings, MPI_Comm communicator);

/// Collective: the longest of all ranks' times; of BT and SP, on rank 0 alone.
[[nodiscard]] double slowest_as_npb_s(const Settings& settings, double seconds, const Ranks& ranks);

}  // namespace waywiser::npb
