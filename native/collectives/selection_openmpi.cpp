/// Source: Open MPI 5.0, ompi/mca/coll/{han,tuned,base,basic,libnbc}; see openmpi_rules.hpp.
#include <algorithm>
#include <numeric>
#include <span>

#include "collectives/openmpi_rules.hpp"
#include "collectives/powers.hpp"
#include "collectives/selection.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
namespace {

using namespace openmpi;

int decide(std::span<const Rule> rules, int ranks, std::uint64_t bytes) {
    for (const Rule& rule : rules) {
        if (ranks >= rule.ranks_below) continue;
        for (const Limit& limit : rule.limits) {
            if (bytes < limit.bytes_below || limit.bytes_below == kAny) return limit.algorithm;
        }
    }
    return 0;
}

std::uint64_t total(const Operation& op) {
    if (op.shares.empty()) return op.bytes * count(op.ranks);
    return std::accumulate(op.shares.begin(), op.shares.end(), std::uint64_t{0});
}

bool is_power(const Operation& op) { return op.ranks == power_below(op.ranks); }

/// The whole vector of a reduce-scatter, or a gathered vector, at rank 0.
Operation whole(const Operation& op) {
    Operation vector = op;
    vector.root = 0;
    vector.bytes = total(op);
    vector.shares = {};
    return vector;
}

Stages single_stage(Collective collective, std::string_view name, const Operation& op) {
    return {stage(collective, name, op)};
}

Stages barrier(const Operation& op) {
    constexpr std::string_view kNames[] = {"",          "linear", "double ring", "recursive doubling", "dissemination",
                                           "two ranks", "tree"};
    return single_stage(Collective::barrier, kNames[decide(kBarrier, op.ranks, 0)], op);
}

/// The tuned component requests one chain without segments.
Stages bcast(Operation op) {
    constexpr std::string_view kNames[] = {"",
                                           "linear",
                                           "chain",
                                           "chain",
                                           "split binary tree",
                                           "binary tree",
                                           "binomial tree",
                                           "k-nomial tree",
                                           "scatter and recursive doubling allgather",
                                           "scatter and ring allgather"};
    int number = decide(kBcast, op.ranks, op.bytes);
    const bool is_scattered = number == 8 || number == 9;
    if (is_scattered && elements(op) < count(op.ranks)) number = 1;
    if (number == 4 && elements(op) < 2) number = 3;
    if (number == 7) op.fan_out = 4;
    if (number == 8 && !is_power(op)) {
        Stage ring = stage(Collective::bcast, kNames[9], op);
        ring.exact = false;
        return {ring};
    }
    return single_stage(Collective::bcast, kNames[number], op);
}

Stages reduce(const Operation& op) {
    constexpr std::string_view kNames[] = {
        "", "linear", "chain", "chain", "binary tree", "binomial tree", "in-order binary tree", "Rabenseifner"};
    int number = op.commutative ? decide(kReduce, op.ranks, op.bytes) : decide(kReduceInOrder, op.ranks, op.bytes);
    if (number == 7 && elements(op) < count(power_below(op.ranks))) number = 1;
    return single_stage(Collective::reduce, kNames[number], op);
}

Stages allreduce(Operation op) {
    constexpr std::string_view kNames[] = {
        "", "linear", "", "recursive doubling", "ring", "ring", "Rabenseifner, folding halves"};
    op = rooted_at_first(op);
    int number =
        op.commutative ? decide(kAllreduce, op.ranks, op.bytes) : decide(kAllreduceInOrder, op.ranks, op.bytes);
    if (number == 2) {
        Stages stages = select_open_mpi(Collective::reduce, op);
        append(stages, select_open_mpi(Collective::bcast, op));
        return stages;
    }
    const bool is_ring = number == 4 || number == 5;
    if (is_ring && elements(op) < count(op.ranks)) number = 3;
    if (number == 6 && elements(op) < count(power_below(op.ranks))) number = 1;
    return single_stage(Collective::allreduce, kNames[number], op);
}

Stages gather(const Operation& op) {
    constexpr std::string_view kNames[] = {"", "linear", "binomial tree", "linear, synchronised"};
    const int number = op.shares.empty() ? decide(kGather, op.ranks, op.bytes) : 1;
    return single_stage(Collective::gather, kNames[number], op);
}

Stages scatter(const Operation& op) {
    constexpr std::string_view kNames[] = {"", "linear", "binomial tree", "linear, concurrent"};
    const int number = op.shares.empty() ? decide(kScatter, op.ranks, op.bytes) : 1;
    return single_stage(Collective::scatter, kNames[number], op);
}

Stages allgather(const Operation& op) {
    constexpr std::string_view kNames[] = {"",         "", "Bruck", "recursive doubling", "ring", "neighbour exchange",
                                           "two ranks"};
    int number = decide(kAllgather, op.ranks, op.bytes);
    if (number == 3 && !is_power(op)) number = 2;
    if (number == 5 && op.ranks % 2 == 1) number = 4;
    return single_stage(Collective::allgather, kNames[number], op);
}

Stages allgatherv(const Operation& op) {
    constexpr std::string_view kNames[] = {"", "", "Bruck", "ring", "neighbour exchange", "two ranks"};
    int number = decide(kAllgatherv, op.ranks, total(op) / count(op.ranks));
    if (number == 1) {
        Operation gathered = whole(op);
        gathered.element_bytes = gathered.bytes;  // The data are one element of one datatype.
        Stages stages = gather(rooted_at_first(op));
        append(stages, select_open_mpi(Collective::bcast, gathered));
        return stages;
    }
    if (number == 4 && op.ranks % 2 == 1) number = 3;
    return single_stage(Collective::allgather, kNames[number], op);
}

Stages alltoall(const Operation& op) {
    constexpr std::string_view kNames[] = {"", "linear", "pairwise exchange", "Bruck", "linear", "two ranks"};
    const int number = op.shares.empty() ? decide(kAlltoall, op.ranks, op.bytes) : decide(kAlltoallv, op.ranks, 0);
    return single_stage(Collective::alltoall, kNames[number], op);
}

/// Stages of MPI_Reduce_scatter by a reduction and a scatter, also if operands do not commute.
Stages reduce_then_scatter(const Operation& op) {
    Stages stages = select_open_mpi(Collective::reduce, whole(op));
    append(stages, select_open_mpi(Collective::scatter, rooted_at_first(op)));
    return stages;
}

Stages reduce_scatter(const Operation& op) {
    constexpr std::string_view kNames[] = {"", "", "recursive halving", "ring", "butterfly"};
    const int number = op.commutative ? decide(kReduceScatter, op.ranks, total(op)) : 1;
    return number == 1 ? reduce_then_scatter(op) : single_stage(Collective::reduce_scatter, kNames[number], op);
}

Stages reduce_scatter_block(const Operation& op) {
    constexpr std::string_view kNames[] = {"", "", "recursive doubling", "recursive halving", "butterfly"};
    const int number = op.commutative ? decide(kReduceScatterBlock, op.ranks, op.bytes) : 1;
    if (number == 1) return reduce_then_scatter(op);
    const bool is_strided = number == 4 && is_power(op);
    return single_stage(Collective::reduce_scatter, is_strided ? "butterfly of blocks" : kNames[number], op);
}

/// HAN's algorithm, because component coll/han precedes coll/tuned; nullptr if HAN does not support the collective.
const Algorithm* over_nodes(Collective collective, const Operation& op) {
    const auto serves = [&](const Algorithm& candidate) {
        return candidate.collective == collective && candidate.name == "HAN" && candidate.supports(op);
    };
    const auto han = std::ranges::find_if(algorithms(), serves);
    return han == algorithms().end() ? nullptr : &*han;
}

bool has_long_vectors(const Operation& op) { return op.commutative && elements(op) >= count(power_below(op.ranks)); }

}  // namespace

Stages select_open_mpi(Collective collective, const Operation& op) {
    if (const Algorithm* han = over_nodes(collective, op)) return stages_by(*han, op);
    switch (collective) {
        case Collective::barrier: return barrier(op);
        case Collective::bcast: return bcast(op);
        case Collective::gather: return gather(op);
        case Collective::scatter: return scatter(op);
        case Collective::allgather: return op.shares.empty() ? allgather(op) : allgatherv(op);
        case Collective::alltoall: return alltoall(op);
        case Collective::reduce: return reduce(op);
        case Collective::allreduce: return allreduce(op);
        case Collective::reduce_scatter: return op.shares.empty() ? reduce_scatter_block(op) : reduce_scatter(op);
        case Collective::scan: return single_stage(collective, "chain", op);
    }
    return {};
}

/// Nonblocking and persistent collectives.
Stages select_libnbc(Collective collective, const Operation& op) {
    constexpr std::uint64_t kLong = 65536;
    switch (collective) {
        case Collective::barrier: return single_stage(collective, "dissemination", op);
        case Collective::bcast: return single_stage(collective, op.ranks <= 4 ? "linear" : "binomial tree", op);
        case Collective::reduce: {
            if (has_long_vectors(op) && op.ranks > 2) return single_stage(collective, "Rabenseifner", op);
            if (op.ranks > 4 || op.bytes < kLong || !op.commutative)
                return single_stage(collective, "binomial tree", op);
            Operation pipelined = op;
            pipelined.segment_bytes = 8192;
            return single_stage(collective, "chain", pipelined);
        }
        case Collective::allreduce: {
            const Operation rooted = rooted_at_first(op);
            if (op.ranks >= 4 && op.bytes >= kLong && has_long_vectors(op)) {
                return single_stage(collective, "Rabenseifner, folding halves", rooted);
            }
            Stages stages = single_stage(Collective::reduce, "binomial tree", rooted);
            append(stages, single_stage(Collective::bcast, "binomial tree", rooted));
            return stages;
        }
        case Collective::reduce_scatter: {
            Stages stages = single_stage(Collective::reduce, "binomial tree", whole(op));
            append(stages, single_stage(Collective::scatter, "linear, concurrent", rooted_at_first(op)));
            return stages;
        }
        case Collective::scatter: return single_stage(collective, "linear, concurrent", op);
        case Collective::gather:
        case Collective::allgather:
        case Collective::alltoall: return single_stage(collective, "linear", op);
        case Collective::scan: return single_stage(collective, "chain", op);
    }
    return {};
}

}  // namespace waywiser::collectives
