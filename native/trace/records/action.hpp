/// The effect of an MPI call in a trace. Plain data only: the profiler uses it without libstdc++.
#pragma once

#include <cstdint>

namespace waywiser::trace {

/// Values for absent ranks, tags, objects and requests, in place of the MPI library's own values.
inline constexpr std::int32_t kNone = -1;      ///< the call has none; MPI_REQUEST_NULL
inline constexpr std::int32_t kAny = -2;       ///< MPI_ANY_SOURCE, MPI_ANY_TAG
inline constexpr std::int32_t kProcNull = -3;  ///< MPI_PROC_NULL
inline constexpr std::int32_t kOwnGroup = -4;  ///< MPI_ROOT: this process, towards the other group
inline constexpr std::int32_t kUnknown = -5;   ///< a request or an object that was made before the trace began

/// The effect of a call as far as other ranks can notice it.
enum class Action : std::uint8_t {
    none,             ///< no effect: MPI_Comm_rank, MPI_Type_commit, …
    initialise,       ///< MPI_Init and MPI_Init_thread
    finalise,         ///< MPI_Finalize
    send,             ///< MPI_Send, …; with a request MPI_Isend, …
    receive,          ///< MPI_Recv, MPI_Mrecv; with a request MPI_Irecv, …
    send_receive,     ///< both together
    prepare_send,     ///< MPI_Send_init, …: the request's start sends
    prepare_receive,  ///< MPI_Recv_init, …
    prepare_collective,
    start,         ///< MPI_Start, MPI_Startall: `requests`
    complete,      ///< MPI_Wait, MPI_Test and their variants on `requests`, of which `completed` are done
    free_request,  ///< `requests`
    cancel,        ///< `requests`
    probe,         ///< MPI_Probe; with a request MPI_Mprobe, whose message the request represents
    collective,    ///< collective over `object`; nonblocking with a request
    make_object,   ///< a collective over `object` that makes `created`
    free_object,   ///< `object`
    rma,           ///< sends `bytes` to, and posts `posted` from, `peer` of window `object`
    rma_sync,      ///< opens, closes or completes epochs of window `object`; `detail` is the kind
    file,          ///< reads or writes file `object` independently
    file_collective,
    phase,  ///< MPI_Pcontrol: `detail` is the level
};
constexpr Action last_of(Action /*any*/) { return Action::phase; }

}  // namespace waywiser::trace
