#include "workloads/mpibench/started.hpp"

#include "workloads/mpibench/overlap.hpp"

namespace waywiser::mpibench {

namespace {

/// Computes, and calls MPI_Test between parts of the work: some libraries progress messages only in such calls.
void compute_and_test(Call& call) {
    const std::int64_t parts = call.tests + 1;
    for (std::int64_t part = 0; part < parts; ++part) {
        compute((part + 1) * call.compute_rounds / parts - part * call.compute_rounds / parts);
        if (part == call.tests) return;
        int done = 0;
        MPI_Test(&call.request, &done, MPI_STATUS_IGNORE);
    }
}

}  // namespace

void compute_and_wait(Call& call) {
    if (call.compute_rounds > 0) compute_and_test(call);
    MPI_Wait(&call.request, MPI_STATUS_IGNORE);
}

void complete_persistent(Call& call) {
    MPI_Start(&call.request);
    compute_and_wait(call);
}

}  // namespace waywiser::mpibench
