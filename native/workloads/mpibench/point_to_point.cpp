// Benchmarks between the two ranks of a pair.
#include "workloads/mpibench/iterations.hpp"

namespace waywiser::mpibench {
namespace {

constexpr int forth = 0;
constexpr int back = 1;

void receive(Call& call, int tag) {
    MPI_Recv(call.receive, call.count, call.datatype.type, call.any_sender ? MPI_ANY_SOURCE : call.partner,
             call.any_sender ? MPI_ANY_TAG : tag, call.ranks, call.status);
}

/// Posts a window of receives or sends of the same buffer, as OSU's and IMB's programs do by default.
void post_receives(Call& call, int tag, MPI_Request* requests) {
    for (int i = 0; i < call.window; ++i) {
        MPI_Irecv(call.receive, call.count, call.datatype.type, call.partner, tag, call.ranks, requests + i);
    }
}

void post_sends(Call& call, int tag, MPI_Request* requests) {
    for (int i = 0; i < call.window; ++i) {
        MPI_Isend(call.send, call.count, call.datatype.type, call.partner, tag, call.ranks, requests + i);
    }
}

}  // namespace

void prepare_requests(Call& call) { call.requests.resize(2 * static_cast<std::size_t>(call.window)); }

void latency(Call& call) {
    const MPI_Datatype type = call.datatype.type;
    if (call.first) {
        MPI_Send(call.send, call.count, type, call.partner, forth, call.ranks);
        receive(call, back);
    } else {
        receive(call, forth);
        MPI_Send(call.send, call.count, type, call.partner, back, call.ranks);
    }
}

void bandwidth(Call& call) {
    char answer = 0;
    if (call.first) {
        post_sends(call, forth, call.requests.data());
        MPI_Waitall(call.window, call.requests.data(), MPI_STATUSES_IGNORE);
        MPI_Recv(&answer, 1, MPI_CHAR, call.partner, back, call.ranks, MPI_STATUS_IGNORE);
    } else {
        post_receives(call, forth, call.requests.data());
        MPI_Waitall(call.window, call.requests.data(), MPI_STATUSES_IGNORE);
        MPI_Send(&answer, 1, MPI_CHAR, call.partner, back, call.ranks);
    }
}

void bibandwidth(Call& call) {
    MPI_Request* sends = call.requests.data() + call.window;
    post_receives(call, call.first ? back : forth, call.requests.data());
    post_sends(call, call.first ? forth : back, sends);
    MPI_Waitall(call.window, sends, MPI_STATUSES_IGNORE);
    MPI_Waitall(call.window, call.requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace waywiser::mpibench
