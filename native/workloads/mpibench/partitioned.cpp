// Partitioned messages: one request on each side. The sender marks the partitions ready one by one.
#include "workloads/mpibench/variants.hpp"

#include <array>

namespace waywiser::mpibench {

// Open MPI has partitioned communication since version 5.0, which reports MPI 3.1.
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
namespace {

constexpr std::size_t out = 0;
constexpr std::size_t in = 1;

void make_parts(Call& call) {
    call.requests.assign(2, MPI_REQUEST_NULL);
    // Within the first call, Open MPI 5.0 duplicates MPI_COMM_WORLD, and so waits until every rank has made a call. A
    // rank without a partner therefore makes a message to itself.
    const int partner = call.partner == MPI_PROC_NULL ? call.rank : call.partner;
    const MPI_Count count = call.count / call.partitions;
    const MPI_Datatype type = call.datatype.type;
    MPI_Psend_init(call.send, call.partitions, count, type, partner, 0, call.ranks, MPI_INFO_NULL, &call.requests[out]);
    MPI_Precv_init(call.receive, call.partitions, count, type, partner, 0, call.ranks, MPI_INFO_NULL,
                   &call.requests[in]);
}

void free_parts(Call& call) {
    for (MPI_Request& request : call.requests) {
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
}

void send_parts(Call& call) {
    MPI_Start(&call.requests[out]);
    for (int part = 0; part < call.partitions; ++part) MPI_Pready(part, call.requests[out]);
    MPI_Wait(&call.requests[out], MPI_STATUS_IGNORE);
}

void receive_parts(Call& call) {
    MPI_Start(&call.requests[in]);
    MPI_Wait(&call.requests[in], MPI_STATUS_IGNORE);
}

void partitioned_latency(Call& call) {
    if (call.first) send_parts(call);
    receive_parts(call);
    if (!call.first) send_parts(call);
}

constexpr std::array partitioned_table{Variant{.name = "partitioned_latency",
                                               .osu_title = "Partitioned Latency",
                                               .blocking = "latency",
                                               .run = partitioned_latency,
                                               .make = make_parts,
                                               .release = free_parts,
                                               .partitioned = true}};

}  // namespace

std::span<const Variant> partitioned_variants() { return partitioned_table; }
#else
std::span<const Variant> partitioned_variants() { return {}; }
#endif

}  // namespace waywiser::mpibench
