// Blocking collectives.
#include "workloads/mpibench/benchmarks.hpp"

namespace waywiser::mpibench {

void barrier(Call& call) { MPI_Barrier(call.ranks); }

void bcast(Call& call) {
    std::byte* buffer = call.rank == call.root ? call.send : call.receive;
    MPI_Bcast(buffer, call.count, call.datatype.type, call.root, call.ranks);
}

void allreduce(Call& call) {
    MPI_Allreduce(call.send, call.receive, call.count, call.datatype.type, call.operation.op, call.ranks);
}

}  // namespace waywiser::mpibench
