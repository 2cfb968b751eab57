/// NPB's calls in addition to its messages, so that a run with `--messages npb` has the profile of an NPB run.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/npb/settings.hpp"

#include <mpi.h>

namespace waywiser::npb {

/// During the lifetime of this object, MPI calls belong to phase 2 of a profile, because NPB does not make these calls.
class OwnCalls {
public:
    /// \param as_npb  if false, the object does nothing
    explicit OwnCalls(bool as_npb);
    OwnCalls(const OwnCalls&) = delete;
    OwnCalls& operator=(const OwnCalls&) = delete;
    ~OwnCalls();

private:
    bool as_npb_;
};

/// Copies the communicator (BT and SP) and broadcasts the input, which each rank already has. Collective.
void start_as_npb(const Settings& settings, MPI_Comm communicator);

/// The longest of all ranks' times; for BT and SP, on rank 0 only. Collective.
[[nodiscard]] double slowest_as_npb_s(const Settings& settings, double seconds, const Ranks& ranks);

}  // namespace waywiser::npb
