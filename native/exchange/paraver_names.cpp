#include "exchange/paraver_names.hpp"

#include <algorithm>
#include <string>

#include "base/words.hpp"

namespace waywiser::exchange {
namespace {

using trace::Action;

/// Names of calls by value from 1 on, as in Extrae's .pcf files; the name of a call that MPI has dropped is empty.
constexpr auto kValues = words<168>(
    "MPI_Send MPI_Recv MPI_Isend MPI_Irecv MPI_Wait MPI_Waitall MPI_Bcast MPI_Barrier MPI_Reduce MPI_Allreduce "
    "MPI_Alltoall MPI_Alltoallv MPI_Gather MPI_Gatherv MPI_Scatter MPI_Scatterv MPI_Allgather MPI_Allgatherv "
    "MPI_Comm_rank MPI_Comm_size MPI_Comm_create MPI_Comm_dup MPI_Comm_split MPI_Comm_group MPI_Comm_free "
    "MPI_Comm_remote_group MPI_Comm_remote_size MPI_Comm_test_inter MPI_Comm_compare MPI_Scan MPI_Init MPI_Finalize "
    "MPI_Bsend MPI_Ssend MPI_Rsend MPI_Ibsend MPI_Issend MPI_Irsend MPI_Test MPI_Cancel MPI_Sendrecv "
    "MPI_Sendrecv_replace MPI_Cart_create MPI_Cart_shift MPI_Cart_coords MPI_Cart_get MPI_Cart_map MPI_Cart_rank "
    "MPI_Cart_sub MPI_Cartdim_get MPI_Dims_create MPI_Graph_get MPI_Graph_map MPI_Graph_create MPI_Graph_neighbors "
    "MPI_Graphdims_get MPI_Graph_neighbors_count MPI_Topo_test MPI_Waitany MPI_Waitsome MPI_Probe MPI_Iprobe "
    "MPI_Win_create MPI_Win_free MPI_Put MPI_Get MPI_Accumulate MPI_Win_fence MPI_Win_start MPI_Win_complete "
    "MPI_Win_post MPI_Win_wait MPI_Win_test MPI_Win_lock MPI_Win_unlock MPI_Pack MPI_Unpack MPI_Op_create "
    "MPI_Op_free MPI_Reduce_scatter MPI_Attr_delete MPI_Attr_get MPI_Attr_put MPI_Group_difference MPI_Group_excl "
    "MPI_Group_free MPI_Group_incl MPI_Group_intersection MPI_Group_rank MPI_Group_range_excl MPI_Group_range_incl "
    "MPI_Group_size MPI_Group_translate_ranks MPI_Group_union MPI_Group_compare MPI_Intercomm_create "
    "MPI_Intercomm_merge MPI_Keyval_free MPI_Keyval_create MPI_Abort MPI_Error_class MPI_Errhandler_create "
    "MPI_Errhandler_free MPI_Errhandler_get MPI_Error_string MPI_Errhandler_set MPI_Get_processor_name "
    "MPI_Initialized MPI_Wtick MPI_Wtime MPI_Address MPI_Bsend_init MPI_Buffer_attach MPI_Buffer_detach "
    "MPI_Request_free MPI_Recv_init MPI_Send_init MPI_Get_count MPI_Get_elements MPI_Pack_size MPI_Rsend_init "
    "MPI_Ssend_init MPI_Start MPI_Startall MPI_Testall MPI_Testany MPI_Test_cancelled MPI_Testsome MPI_Type_commit "
    "MPI_Type_contiguous MPI_Type_extent MPI_Type_free MPI_Type_hindexed MPI_Type_hvector MPI_Type_indexed "
    "MPI_Type_lb MPI_Type_size MPI_Type_struct MPI_Type_ub MPI_Init_thread MPI_Type_vector MPI_File_open "
    "MPI_File_close MPI_File_read MPI_File_read_all MPI_File_write MPI_File_write_all MPI_File_read_at "
    "MPI_File_read_at_all MPI_File_write_at MPI_File_write_at_all MPI_Comm_spawn MPI_Comm_spawn_multiple "
    "MPI_Request_get_status MPI_Ireduce MPI_Iallreduce MPI_Ibarrier MPI_Ibcast MPI_Ialltoall MPI_Ialltoallv "
    "MPI_Iallgather MPI_Iallgatherv MPI_Igather MPI_Igatherv MPI_Iscatter MPI_Iscatterv MPI_Ireduce_scatter MPI_Iscan");

constexpr auto kStates = words<17>(
    "Idle,Running,Not created,Waiting a message,Blocking Send,Synchronization,Test/Probe,Scheduling and Fork/Join,"
    "Wait/WaitAll,Blocked,Immediate Send,Immediate Receive,I/O,Group Communication,Tracing Disabled,Others,"
    "Send Receive",
    ',');
enum State : std::size_t {
    waiting_message = 3,
    blocking_send,
    synchronization,
    test_probe,
    wait_all = 8,
    immediate_send = 10,
    immediate_receive,
    input_output,
    group_communication,
    others = 15,
    send_receive,
};

}  // namespace

std::uint32_t event_type(Action action) {
    switch (action) {
        case Action::send:
        case Action::receive:
        case Action::send_receive:
        case Action::prepare_send:
        case Action::prepare_receive:
        case Action::start:
        case Action::complete:
        case Action::cancel:
        case Action::free_request:
        case Action::probe: return kPointToPoint;
        case Action::collective:
        case Action::prepare_collective: return kCollective;
        case Action::rma:
        case Action::rma_sync: return kOneSided;
        case Action::file:
        case Action::file_collective: return kFiles;
        default: return kOther;
    }
}

std::uint32_t event_value(std::string_view function) {
    if (function.ends_with("_c")) function.remove_suffix(2);
    const auto* const position = std::ranges::find(kValues, function);
    return position == kValues.end() ? 0 : static_cast<std::uint32_t>(position - kValues.begin()) + 1;
}

std::span<const std::string_view> states() { return kStates; }

std::size_t state(const trace::Parameters& parameters, std::string_view function) {
    const bool immediate = parameters.request >= 0;
    switch (parameters.action) {
        case Action::send: return immediate ? immediate_send : blocking_send;
        case Action::receive: return immediate ? immediate_receive : waiting_message;
        case Action::send_receive: return send_receive;
        case Action::complete: return function.starts_with("MPI_Test") ? test_probe : wait_all;
        case Action::probe: return test_probe;
        case Action::collective: return function == "MPI_Barrier" ? synchronization : group_communication;
        case Action::make_object: return group_communication;
        case Action::file:
        case Action::file_collective: return input_output;
        default: return others;
    }
}

}  // namespace waywiser::exchange
