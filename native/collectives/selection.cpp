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
    if (says("Open MPI") || says("openmpi")) return Library::open_mpi;
    if (says("MPICH") || says("mpich") || says("Intel") || says("impi")) return Library::mpich;
    return std::nullopt;
}

Stage stage(Collective collective, std::string_view name, const Operation& op) {
    const Algorithm& named = algorithm(collective, name);
    if (named.supports(op)) return {.algorithm = &named, .operation = op};
    const auto serves = [&](const Algorithm& one) { return one.collective == collective && one.supports(op); };
    const auto other = std::ranges::find_if(algorithms(), serves);
    require(other != algorithms().end(), "no algorithm serves an operation of " + std::to_string(op.ranks) + " ranks");
    return {.algorithm = &*other, .operation = op, .exact = false};
}

std::vector<Stage> select(Library library, Collective collective, const Operation& op, bool nonblocking) {
    if (op.ranks == 1) return {};
    if (library == Library::mpich) return select_mpich(collective, op, nonblocking);
    return nonblocking ? select_libnbc(collective, op) : select_open_mpi(collective, op);
}

/// How much each rank gives or gets the root alone knows; of an alltoall, each rank its own part.
bool lengths_differ(Collective collective, std::string_view name, const Operation& op) {
    const bool varies = name.ends_with('v') || name.ends_with('w');
    if (collective == Collective::alltoall) return varies && op.shares.empty();
    return varies && (collective == Collective::gather || collective == Collective::scatter);
}

std::vector<Stage> stages_of(std::optional<Library> rules, Collective collective, std::string_view name,
                             const Operation& op, bool nonblocking) {
    if (op.ranks < 2) return {};
    if (lengths_differ(collective, name, op)) return {stage(collective, "linear", op)};
    if (rules) return select(*rules, collective, op, nonblocking);
    return {{.algorithm = &default_algorithm(collective, op), .operation = op}};
}

std::vector<Move> moves(std::span<const Stage> stages, int rank) {
    std::vector<Move> found;
    int rounds_before = 0;
    for (const Stage& one : stages) {
        const auto bytes = [&](Blocks blocks) { return bytes_of(*one.algorithm, one.operation, blocks); };
        for (const Step& step : one.algorithm->schedule(one.operation, rank)) {
            found.push_back({.round = rounds_before + step.round,
                             .to = step.to,
                             .sent_bytes = bytes(step.sent),
                             .from = step.from,
                             .received_bytes = bytes(step.received),
                             .combines = step.combines});
        }
        rounds_before += one.algorithm->cost(one.operation).rounds;
    }
    return found;
}

}  // namespace waywiser::collectives
