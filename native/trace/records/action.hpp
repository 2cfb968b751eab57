/// The effect of an MPI call in a trace. Plain data only: the profiler's room uses it without libstdc++.
#pragma once

#include <cstdint>

namespace waywiser::trace {

/// Ranks, tags, objects and requests that are none, where an MPI library has numbers of its own.
inline constexpr std::int32_t kNone = -1;      ///< the call has none; MPI_REQUEST_NULL
inline constexpr std::int32_t kAny = -2;       ///< MPI_ANY_SOURCE, MPI_ANY_TAG
inline constexpr std::int32_t kProcNull = -3;  ///< MPI_PROC_NULL
inline constexpr std::int32_t kOwnGroup = -4;  ///< MPI_ROOT: this process, towards the other group
inline constexpr std::int32_t kUnknown = -5;   ///< a request or an object that was made before the trace began

/// The effect of a call, as far as another rank can notice.
enum class Action : std::uint8_t {
    none,             ///< nothing: MPI_Comm_rank, MPI_Type_commit, …
    initialise,       ///< MPI_Init and its kind
    finalise,         ///< MPI_Finalize
    send,             ///< MPI_Send, …; with a request MPI_Isend, …
    receive,          ///< MPI_Recv, MPI_Mrecv; with a request MPI_Irecv, …
    send_receive,     ///< both at once
    prepare_send,     ///< MPI_Send_init, …: the request's start sends
    prepare_receive,  ///< MPI_Recv_init, …
    prepare_collective,
    start,         ///< MPI_Start, MPI_Startall: `requests`
    complete,      ///< MPI_Wait, MPI_Test and their variants: of `requests`, those in `completed`
    free_request,  ///< `requests`
    cancel,        ///< `requests`
    probe,         ///< MPI_Probe; with a request MPI_Mprobe, whose message the request stands for
    collective,    ///< over `object`; with a request nonblocking
    make_object,   ///< a collective over `object` that makes `created`
    free_object,   ///< `object`
    rma,           ///< `bytes` to and `posted` from `peer` of window `object`
    rma_sync,      ///< opens, closes or completes epochs of window `object`; `detail` says how
    file,          ///< reads or writes file `object`, alone
    file_collective,
    phase,  ///< MPI_Pcontrol: `detail` is the level
};
constexpr Action last_of(Action /*any*/) { return Action::phase; }

}  // namespace waywiser::trace
