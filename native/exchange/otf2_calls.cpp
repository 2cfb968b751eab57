#include "exchange/otf2_calls.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/words.hpp"
#include "exchange/otf2_library.hpp"

namespace waywiser::exchange::otf2 {
namespace {

using trace::Action;

/// Names without "MPI_", in the order of OTF2_CollectiveOp.
constexpr auto kOperations = words<17>(
    "barrier bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv alltoallw allreduce "
    "reduce reduce_scatter scan exscan reduce_scatter_block");

struct Named {
    Action action;
    std::string_view names;  ///< names between blanks
};

constexpr std::array<Named, 15> kNamed{{
    {Action::initialise, " init init_thread session_init "},
    {Action::finalise, " finalize session_finalize "},
    {Action::send, " send bsend ssend rsend isend ibsend issend irsend "},
    {Action::receive, " recv irecv mrecv imrecv "},
    {Action::send_receive, " sendrecv sendrecv_replace isendrecv isendrecv_replace "},
    {Action::prepare_send, " send_init bsend_init ssend_init rsend_init psend_init "},
    {Action::prepare_receive, " recv_init precv_init "},
    {Action::start, " start startall "},
    {Action::complete, " wait waitall waitany waitsome test testall testany testsome "},
    {Action::free_request, " request_free "},
    {Action::cancel, " cancel "},
    {Action::probe, " probe iprobe mprobe improbe "},
    {Action::make_object,
     " comm_dup comm_idup comm_dup_with_info comm_idup_with_info comm_create comm_create_group comm_split "
     "comm_split_type "
     "cart_create cart_sub graph_create dist_graph_create dist_graph_create_adjacent intercomm_create intercomm_merge "
     "win_create win_allocate win_allocate_shared win_create_dynamic file_open "},
    {Action::free_object, " comm_free comm_disconnect win_free file_close "},
    {Action::rma,
     " put get accumulate get_accumulate fetch_and_op compare_and_swap rput rget raccumulate rget_accumulate "},
}};

bool holds(std::string_view names, const std::string& name) { return names.find(' ' + name + ' ') != names.npos; }

/// The operation's name, such as "reduce" for "MPI_Reduce_c".
std::string plain(std::string_view function) {
    if (!function.starts_with("MPI_")) return {};
    function.remove_prefix(4);
    if (function.ends_with("_c")) function.remove_suffix(2);
    std::string name(function);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

/// The name of a collective, blocking or not: "barrier" for "ibarrier" and "barrier_init".
std::uint8_t operation(std::string_view name) {
    const auto position = std::ranges::find(kOperations, name);
    return position == kOperations.end() ? kNoOperation : static_cast<std::uint8_t>(position - kOperations.begin());
}

}  // namespace

std::uint8_t operation_of(std::string_view function) {
    const std::string name = plain(function);
    const std::uint8_t collective = operation(name);
    return collective == kNoOperation && name.starts_with('i') ? operation(std::string_view(name).substr(1))
                                                               : collective;
}

Action action_of(std::string_view function) {
    const std::string name = plain(function);
    for (const auto& [action, names] : kNamed) {
        if (holds(names, name)) return action;
    }
    if (name == "pcontrol") return Action::phase;
    if (operation_of(function) != kNoOperation || name.find("neighbor_") != name.npos) {
        return name.ends_with("_init") ? Action::prepare_collective : Action::collective;
    }
    if (name.ends_with("_init") && operation(std::string_view(name).substr(0, name.size() - 5)) != kNoOperation) {
        return Action::prepare_collective;
    }
    if (name.starts_with("win_")) {
        constexpr std::string_view kSyncs =
            " win_fence win_start win_complete win_post win_wait win_test win_lock win_unlock win_lock_all "
            "win_unlock_all "
            "win_flush win_flush_all win_flush_local win_flush_local_all win_sync ";
        return holds(kSyncs, name) ? Action::rma_sync : Action::none;
    }
    if (name.starts_with("file_") && (name.find("read") != name.npos || name.find("write") != name.npos)) {
        const bool together = name.find("_all") != name.npos || name.find("_ordered") != name.npos;
        return together ? Action::file_collective : Action::file;
    }
    return Action::none;
}

std::uint8_t role_of(std::string_view function) {
    enum : std::uint8_t {  // The values are those of OTF2_RegionRole.
        kFunction = 1,
        kBarrierRole = 15,
        kOneToAll = 23,
        kAllToOne = 24,
        kAllToAll = 25,
        kOther = 26,
        kFileIo = 27,
        kPointToPoint = 28,
        kRma = 29
    };
    switch (action_of(function)) {
        case Action::send:
        case Action::receive:
        case Action::send_receive:
        case Action::prepare_send:
        case Action::prepare_receive:
        case Action::start:
        case Action::complete:
        case Action::probe: return kPointToPoint;
        case Action::collective: {
            constexpr std::array<std::uint8_t, 6> kRooted{kBarrierRole, kOneToAll, kAllToOne,
                                                          kAllToOne,    kOneToAll, kOneToAll};
            const std::uint8_t which = operation_of(function);
            if (which == kReduce) return kAllToOne;
            return which < kRooted.size() ? kRooted[which] : std::uint8_t{kAllToAll};
        }
        case Action::make_object:
        case Action::free_object: return kOther;
        case Action::rma:
        case Action::rma_sync: return kRma;
        case Action::file:
        case Action::file_collective: return kFileIo;
        default: return kFunction;
    }
}

std::string function_of(std::string_view region) {
    while (!region.empty() &&
           (region.back() == ' ' || region.back() == ')' || region.back() == '(' || region.back() == '_')) {
        region.remove_suffix(1);
    }
    if (region.size() < 5 || region[3] != '_') return {};
    const auto upper = [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); };
    const auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
    if (upper(region[0]) != 'M' || upper(region[1]) != 'P' || upper(region[2]) != 'I') return {};
    std::string name = "MPI_";
    name += upper(region[4]);
    // Within a name, C has capital letters only in MPI_T_ and after "Abi_"; neither sends anything.
    for (const char c : region.substr(5)) name += lower(c);
    return name;
}

Multipliers multipliers_of(std::uint8_t operation, std::uint64_t processes) {
    if (processes == 0) return {};
    switch (operation) {
        case kBcast:
        case kAllgather:
        case kAllgatherv: return {.sent = processes};
        case kReduce: return {.received = processes};
        case kAllreduce: return {.sent = processes, .received = processes};
        default: return {};
    }
}

std::uint32_t root_record(std::int32_t peer) {
    if (peer == trace::kOwnGroup) return kRootSelf;
    if (peer == trace::kProcNull) return kRootThisGroup;
    return peer < 0 ? kRootNone : static_cast<std::uint32_t>(peer);
}

std::int32_t root_peer(std::uint32_t record) {
    if (record == kRootSelf) return trace::kOwnGroup;
    if (record == kRootThisGroup) return trace::kProcNull;
    return record > INT32_MAX ? trace::kNone : static_cast<std::int32_t>(record);
}

}  // namespace waywiser::exchange::otf2
