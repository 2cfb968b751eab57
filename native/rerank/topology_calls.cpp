/// The calls that make a communicator with a topology, after the profiler: with reorder = true, its ranks get the best
/// order for the machine (docs/design/014).
///
/// The calls are defined under their PMPI_ names, too: a call from Fortran uses one of the two names in C.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "profile/preload/next_call.hpp"
#include "profile/preload/preload_list.hpp"
#include "rerank/agreement.hpp"
#include "rerank/library_faults.hpp"

namespace waywiser::rerank {
namespace {

using profile::Id;
using profile::kNoSuchCall;
using profile::library;
using profile::next_call;
using profile::next_function;

/// Settings that all calls of the process share.
struct Setting {
    Calls calls;
    std::string places;
    bool ready = false;
    bool mixes_windows = false;
    bool hangs_in_dist_graphs = false;

    Setting() {
        const char* path = std::getenv("WAYWISER_TOPOLOGIES");
        places = path == nullptr ? "" : path;
        ready = !places.empty() && calls.take();
        if (!ready)
            say_once(Notice::trouble, "the MPI library is of no family that Waywiser knows; topologies are left to it");
        mixes_windows = ready && library_mixes_windows();
        hangs_in_dist_graphs = ready && library_hangs_in_dist_graphs();
        unsetenv("WAYWISER_TOPOLOGIES");
        profile::leave_preload_list();
    }
};

const Setting& setting() {
    static const Setting result;
    return result;
}

/// The reason to leave the call to the library unchanged; null if there is none.
const char* fault(const std::string& name) {
    if (setting().mixes_windows) return "MPICH 4.0 mixes up windows whose ranks are not in the launcher's order";
    if (setting().hangs_in_dist_graphs && name == "MPI_Dist_graph_create") {
        return "Open MPI 4 may hang in MPI_Dist_graph_create without its own reordering";
    }
    return nullptr;
}

/// True on the first of several ranks; a single rank needs no message.
bool is_first_of_several(Handle communicator) {
    int rank = 0;
    int ranks = 0;
    return library.comm_rank(communicator, &rank) == 0 && rank == 0 && library.comm_size(communicator, &ranks) == 0 &&
           ranks > 1;
}

/// Executes the call on a communicator whose ranks have the best order.
///
/// \param next      next definition of the call
/// \param call      makes the call: `call(function, communicator, reorder, created)`
/// \param reordered  is called before `call` if the order changes. It gets the communicator, this process's old rank,
///     the old rank of each new rank, and the communicator that the library made with the old order
template <class Function, class Call, class Reordered>
int with_best_order(const char* name, Kind kind, Function next, Handle communicator, int reorder, void* created,
                    const Call& call, const Reordered& reordered) {
    if (next == nullptr) return kNoSuchCall;
    if (reorder == 0 || !setting().ready) return call(next, communicator, reorder, created);
    const std::string name_of_call = std::string("MPI_") + name;
    if (const char* why = fault(name_of_call); why != nullptr) {
        if (is_first_of_several(communicator))
            say_once(Notice::trouble, "%s; %s is left to it", why, name_of_call.c_str());
        return call(next, communicator, reorder, created);
    }
    const Calls& calls = setting().calls;
    Handle declared = nullptr;
    if (const int error =
            call(next_function<Function>(("P" + name_of_call).c_str()), communicator, 0, static_cast<void*>(&declared));
        error != 0)
        return error;
    const Agreement agreement =
        agree(calls, name_of_call.c_str(), kind, communicator, declared, setting().places.c_str());
    Handle permuted = nullptr;
    int result = 0;
    if (!agreement.old_rank.empty()) {
        int old = 0;
        library.comm_rank(communicator, &old);
        result = calls.split(communicator, 0, new_rank(agreement.old_rank, old), &permuted);
        if (result == 0) reordered(permuted, old, agreement.old_rank, declared);
    }
    if (library.key(declared) != library.constants.comm_null) calls.free(&declared);
    if (result != 0) return result;
    if (permuted == nullptr) return call(next, communicator, agreement.known ? 0 : reorder, created);
    result = call(next, permuted, 0, created);
    calls.free(&permuted);
    return result;
}

constexpr auto kNothingElse = [](const auto&...) {};

using CartCreate = int (*)(Handle, int, const int*, const int*, int, void*);
using GraphCreate = int (*)(Handle, int, const int*, const int*, int, void*);
using DistGraphCreate = int (*)(Handle, int, const int*, const int*, const int*, const int*, Handle, int, void*);
using DistGraphCreateAdjacent = int (*)(Handle, int, const int*, const int*, int, const int*, const int*, Handle, int,
                                        void*);

int cart_create(CartCreate next, Handle comm_old, int ndims, const int* dims, const int* periods, int reorder,
                void* comm_cart) {
    const auto call = [&](CartCreate function, Handle on, int may_reorder, void* created) {
        return function(on, ndims, dims, periods, may_reorder, created);
    };
    return with_best_order("Cart_create", Kind::grid, next, comm_old, reorder, comm_cart, call, kNothingElse);
}

int graph_create(GraphCreate next, Handle comm_old, int nnodes, const int* index, const int* edges, int reorder,
                 void* comm_graph) {
    const auto call = [&](GraphCreate function, Handle on, int may_reorder, void* created) {
        return function(on, nnodes, index, edges, may_reorder, created);
    };
    return with_best_order("Graph_create", Kind::graph, next, comm_old, reorder, comm_graph, call, kNothingElse);
}

/// Edges are between ranks of the new communicator, whichever rank declares them.
int dist_graph_create(DistGraphCreate next, Handle comm_old, int n, const int* sources, const int* degrees,
                      const int* destinations, const int* weights, Handle info, int reorder, void* comm_dist_graph) {
    const auto call = [&](DistGraphCreate function, Handle on, int may_reorder, void* created) {
        return function(on, n, sources, degrees, destinations, weights, info, may_reorder, created);
    };
    return with_best_order("Dist_graph_create", Kind::distributed_graph, next, comm_old, reorder, comm_dist_graph, call,
                           kNothingElse);
}

/// Edges are declared by the rank that has them: the process that gets this rank must declare them.
int dist_graph_create_adjacent(DistGraphCreateAdjacent next, Handle comm_old, int indegree, const int* sources,
                               const int* sourceweights, int outdegree, const int* destinations, const int* destweights,
                               Handle info, int reorder, void* comm_dist_graph) {
    Adjacency its;
    const auto call = [&](DistGraphCreateAdjacent function, Handle on, int may_reorder, void* created) {
        return function(on, indegree, sources, sourceweights, outdegree, destinations, destweights, info, may_reorder,
                        created);
    };
    const auto reordered = [&](Handle permuted, int old, const std::vector<int>& old_rank, Handle declared) {
        its = adjacency_of_new_rank(setting().calls, adjacency_of(declared), old, permuted, old_rank);
        indegree = static_cast<int>(its.sources.size());
        outdegree = static_cast<int>(its.destinations.size());
        sources = its.sources.data();
        destinations = its.destinations.data();
        if (!its.weighted) return;  // MPI_UNWEIGHTED is passed on unchanged.
        its.source_weights.reserve(1);
        its.destination_weights.reserve(1);
        sourceweights = its.source_weights.data();
        destweights = its.destination_weights.data();
    };
    return with_best_order("Dist_graph_create_adjacent", Kind::distributed_graph, next, comm_old, reorder,
                           comm_dist_graph, call, reordered);
}

}  // namespace
}  // namespace waywiser::rerank

namespace waywiser::profile {

void something_was_unloaded() {}

}  // namespace waywiser::profile

#pragma GCC visibility push(default)
extern "C" {

using namespace waywiser::rerank;

// clang-format off
#define WAYWISER_TOPOLOGY_CALL(name, Type, make, parameters, ...)                                  \
    int MPI_##name parameters { return make(next_call<Type>(Id::MPI_##name), __VA_ARGS__); }       \
    int PMPI_##name parameters { return make(next_function<Type>("PMPI_" #name), __VA_ARGS__); }

WAYWISER_TOPOLOGY_CALL(Cart_create, CartCreate, cart_create,
    (Handle comm_old, int ndims, const int* dims, const int* periods, int reorder, void* comm_cart),
    comm_old, ndims, dims, periods, reorder, comm_cart)
WAYWISER_TOPOLOGY_CALL(Graph_create, GraphCreate, graph_create,
    (Handle comm_old, int nnodes, const int* index, const int* edges, int reorder, void* comm_graph),
    comm_old, nnodes, index, edges, reorder, comm_graph)
WAYWISER_TOPOLOGY_CALL(Dist_graph_create, DistGraphCreate, dist_graph_create,
    (Handle comm_old, int n, const int* sources, const int* degrees, const int* destinations, const int* weights,
     Handle info, int reorder, void* comm_dist_graph),
    comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph)
WAYWISER_TOPOLOGY_CALL(Dist_graph_create_adjacent, DistGraphCreateAdjacent, dist_graph_create_adjacent,
    (Handle comm_old, int indegree, const int* sources, const int* sourceweights, int outdegree,
     const int* destinations, const int* destweights, Handle info, int reorder, void* comm_dist_graph),
    comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, comm_dist_graph)
// clang-format on

}  // extern "C"
#pragma GCC visibility pop
