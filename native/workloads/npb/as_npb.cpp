#include "workloads/npb/as_npb.hpp"

namespace waywiser::npb {
namespace {

/// Broadcasts `values` values of a type, whose contents are not used.
void broadcast(MPI_Datatype type, int values, MPI_Comm communicator) {
    std::array<double, 5> any{};
    MPI_Bcast(any.data(), values, type, 0, communicator);
}

void broadcast_integers(int calls, MPI_Comm communicator) {
    for (int i = 0; i < calls; ++i) broadcast(MPI_INT, 1, communicator);
}

}  // namespace

OwnCalls::OwnCalls(bool as_npb) : as_npb_(as_npb) {
    if (as_npb_) MPI_Pcontrol(2);
}

OwnCalls::~OwnCalls() {
    if (as_npb_) MPI_Pcontrol(-2);
}

void start_as_npb(const Settings& settings, MPI_Comm communicator) {
    if (settings.benchmark == "lu") {
        // NPB broadcasts the intervals of prints and norms, and the number of iterations.
        broadcast_integers(3, communicator);
        broadcast(MPI_DOUBLE, 1, communicator);   // NPB broadcasts the time step.
        broadcast(MPI_DOUBLE, 1, communicator);   // NPB broadcasts omega.
        broadcast(MPI_DOUBLE, 5, communicator);   // NPB broadcasts the tolerances.
        broadcast_integers(3 + 1, communicator);  // NPB broadcasts the points on each axis, and whether to time parts.
        return;
    }
    std::array<MPI_Comm, 3> copies{};
    MPI_Comm_split(communicator, 0, 0, &copies[0]);
    MPI_Comm_dup(copies[0], &copies[1]);
    MPI_Comm_dup(copies[0], &copies[2]);
    broadcast_integers(1, copies[0]);     // NPB broadcasts the number of iterations.
    broadcast(MPI_DOUBLE, 1, copies[0]);  // NPB broadcasts the time step.
    broadcast(MPI_INT, 3, copies[0]);     // NPB broadcasts the points on each axis.
    // NPB broadcasts the intervals of writing and reading files.
    if (settings.benchmark == "bt") broadcast_integers(2, copies[0]);
    broadcast_integers(1, copies[0]);  // NPB broadcasts whether to time parts.
    const OwnCalls own(true);
    for (MPI_Comm& copy : copies) MPI_Comm_free(&copy);
}

double slowest_as_npb_s(const Settings& settings, double seconds, const Ranks& ranks) {
    if (settings.benchmark == "lu") return slowest_s(seconds, ranks);
    double slowest = seconds;
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, ranks.communicator);
    return slowest;
}

}  // namespace waywiser::npb
