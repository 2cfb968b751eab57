// Benchmarks between the two ranks of a pair.
#include "workloads/mpibench/benchmarks.hpp"

namespace waywiser::mpibench {

void latency(Call& call) {
    const MPI_Datatype type = call.datatype.type;
    if (call.first) {
        MPI_Send(call.send, call.count, type, call.partner, 0, call.ranks);
        MPI_Recv(call.receive, call.count, type, call.partner, 0, call.ranks, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(call.receive, call.count, type, call.partner, 0, call.ranks, MPI_STATUS_IGNORE);
        MPI_Send(call.send, call.count, type, call.partner, 0, call.ranks);
    }
}

}  // namespace waywiser::mpibench
