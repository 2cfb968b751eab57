#include "collectives/selection.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "collectives/calls.hpp"

namespace waywiser::collectives {

Library library_named(std::string_view name) {
    if (name == "openmpi") return Library::open_mpi;
    if (name == "mpich") return Library::mpich;
    throw InvalidInput("there are no selection rules of '" + std::string(name) + "'; there are of: openmpi, mpich");
}

std::optional<Library> rules_of(std::string_view library) {
    const auto says = [&](std::string_view word) { return library.find(word) != std::string_view::npos; };
    if (says("Open MPI v4")) return Library::open_mpi_4;
    if (says("Open MPI") || says("openmpi")) return Library::open_mpi;
    if (says("MPICH") || says("mpich") || says("Intel") || says("impi")) return Library::mpich;
    return std::nullopt;
}

Stages select(Library library, Collective collective, const Operation& op, bool nonblocking) {
    if (op.ranks == 1) return {};
    if (library == Library::mpich) return select_mpich(collective, op, nonblocking);
    if (nonblocking) return select_libnbc(collective, op);
    Operation flat = op;
    if (library == Library::open_mpi_4) flat.nodes = nullptr;
    return select_open_mpi(collective, flat);
}

/// Only the root knows how much each rank sends or receives; in an alltoall, each rank knows its own part.
bool lengths_differ(Collective collective, std::string_view name, const Operation& op) {
    const bool varies = name.ends_with('v') || name.ends_with('w');
    if (collective == Collective::alltoall) return varies && op.shares.empty();
    return varies && (collective == Collective::gather || collective == Collective::scatter);
}

Stages stages_of(std::optional<Library> rules, Collective collective, std::string_view name, const Operation& op,
                 bool nonblocking) {
    if (op.ranks < 2) return {};
    if (lengths_differ(collective, name, op)) return {stage(collective, "linear", op)};
    if (rules) {
        Operation plain = op;
        // The shares of MPI_Allgatherv are unknown, and the components for nodes do not support it.
        if (collective == Collective::allgather && name.ends_with('v')) plain.nodes = nullptr;
        return select(*rules, collective, plain, nonblocking);
    }
    return {{.algorithm = &default_algorithm(collective, op), .operation = op}};
}

}  // namespace waywiser::collectives
