#include "workloads/mpibench/started.hpp"

#include "workloads/mpibench/overlap.hpp"

namespace waywiser::mpibench {

void compute_and_wait(Call& call) {
    compute(call.compute_rounds);
    MPI_Wait(&call.request, MPI_STATUS_IGNORE);
}

void complete_persistent(Call& call) {
    MPI_Start(&call.request);
    compute_and_wait(call);
}

}  // namespace waywiser::mpibench
