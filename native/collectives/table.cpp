/// The one table of algorithms.
#include <algorithm>
#include <cctype>
#include <string>

#include "base/enumerators.hpp"
#include "base/error.hpp"
#include "base/names.hpp"
#include "collectives/algorithms.hpp"
#include "collectives/powers.hpp"
#include "collectives/steps.hpp"
#include "collectives/trees.hpp"

namespace waywiser::collectives {
namespace {

constexpr std::string_view kThakur =
    "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH. Int. J. High "
    "Performance Computing Applications 19(1), 2005, doi:10.1177/1094342005051521";
constexpr std::string_view kHensgen =
    "Hensgen, Finkel, Manber: Two algorithms for barrier synchronization. Int. J. Parallel Programming 17(1), 1988, "
    "doi:10.1007/BF01379320";
constexpr std::string_view kRabenseifner =
    "Rabenseifner: Optimization of collective reduction operations. ICCS 2004, LNCS 3036, "
    "doi:10.1007/978-3-540-24685-5_1";
constexpr std::string_view kByDefinition = "MPI-4.1, chapter 6: as the standard describes the operation's outcome";
constexpr std::string_view kBruck =
    "Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications in multiport "
    "message-passing systems. IEEE TPDS 8(11), 1997, doi:10.1109/71.642949";
constexpr std::string_view kChen =
    "Chen, Zhang, Zhang, Yuan: Performance evaluation of allgather algorithms on terascale Linux cluster with fast "
    "Ethernet. HPC Asia 2005, doi:10.1109/HPCASIA.2005.75";
constexpr std::string_view kPjesivac =
    "Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel, Dongarra: Performance analysis of MPI collective operations. "
    "Cluster Computing 10, 2007, doi:10.1007/s10586-007-0012-0";
constexpr std::string_view kPatarasuk =
    "Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations. J. Parallel and "
    "Distributed Computing 69(2), 2009, doi:10.1016/j.jpdc.2008.09.002";
constexpr std::string_view kRuefenacht =
    "Ruefenacht, Bull, Booth: Generalisation of recursive doubling for AllReduce. Parallel Computing 69, 2017, "
    "doi:10.1016/j.parco.2017.08.004";
constexpr std::string_view kTraeff =
    "Träff: An improved algorithm for (non-commutative) reduce-scatter with an application. EuroPVM/MPI 2005, LNCS "
    "3666, doi:10.1007/11557265_20";
constexpr std::string_view kSharp =
    "Graham et al.: Scalable Hierarchical Aggregation Protocol (SHArP): a hardware architecture for efficient data "
    "reduction. COMHPC 2016, doi:10.1109/COMHPC.2016.006";
constexpr std::string_view kLuo =
    "Luo, Wu, Bosilca, Pei, Cao, Patinyasakdikul, Zhong, Dongarra: HAN: a hierarchical autotuned collective "
    "communication framework. IEEE CLUSTER 2020, doi:10.1109/CLUSTER49012.2020.00013";
constexpr std::string_view kOpenMpi = "Open MPI 5.0, component coll/base";

bool any(const Operation& op) { return op.ranks > 0; }
bool several(const Operation& op) { return op.ranks > 1; }
bool two(const Operation& op) { return op.ranks == 2; }
bool even(const Operation& op) { return op.ranks > 0 && op.ranks % 2 == 0; }
bool power_of_two(const Operation& op) { return op.ranks > 0 && op.ranks == power_below(op.ranks); }
bool commutative(const Operation& op) { return any(op) && op.commutative; }
bool equal_blocks(const Operation& op) { return any(op) && op.shares.empty(); }
bool radix(const Operation& op) { return any(op) && op.fan_out != 1; }
bool commutative_radix(const Operation& op) { return radix(op) && op.commutative; }
bool from_first(const Operation& op) { return any(op) && op.root == 0; }
bool commutative_or_from_first(const Operation& op) { return commutative(op) || from_first(op); }
bool two_halves(const Operation& op) { return several(op) && elements(op) >= 2; }
bool element_for_each(const Operation& op) { return several(op) && elements(op) >= count(op.ranks); }
bool element_for_each_of_a_power(const Operation& op) { return element_for_each(op) && power_of_two(op); }
bool vector_for_ring(const Operation& op) { return element_for_each(op) && op.commutative; }

/// True if every rank of the power of two gets a nonempty block.
bool long_vectors(const Operation& op) {
    return several(op) && elements(op) >= count(power_below(op.ranks)) && op.commutative;
}

int undivided(const Operation&) { return 1; }
int each(const Operation& op) { return op.ranks; }
int each_active(const Operation& op) { return power_below(op.ranks); }

/// An algorithm that runs inside the nodes and between them.
constexpr Algorithm han(Collective collective, bool (*supports)(const Operation&), Stages (*stages)(const Operation&)) {
    return {.name = "HAN",
            .collective = collective,
            .source = kLuo,
            .supports = supports,
            .blocks = nullptr,
            .schedule = nullptr,
            .cost = nullptr,
            .stages = stages};
}

constexpr Algorithm kAlgorithms[] = {
    {"dissemination", Collective::barrier, kHensgen, any, undivided, dissemination_barrier, dissemination_cost, true},
    {"linear", Collective::barrier, kOpenMpi, any, undivided, linear_barrier, linear_barrier_cost},
    {"double ring", Collective::barrier, kOpenMpi, any, undivided, double_ring_barrier, double_ring_cost},
    {"recursive doubling", Collective::barrier, kOpenMpi, any, undivided, doubling_barrier, doubling_cost},
    {"tree", Collective::barrier, kOpenMpi, any, undivided, tree_barrier, reduce_bcast_cost},
    {"two ranks", Collective::barrier, kOpenMpi, two, undivided, dissemination_barrier, dissemination_cost, true},
    {"in network", Collective::barrier, kSharp, several, undivided, switch_barrier, switch_cost, false, switches_of},
    han(Collective::barrier, han_supports, han_barrier),
    {"binomial tree", Collective::bcast, kThakur, any, undivided, binomial_bcast, binomial_cost},
    {"binomial tree from afar", Collective::bcast, kThakur, any, undivided, halving_bcast, binomial_cost},
    {"linear", Collective::bcast, kByDefinition, any, undivided, linear_bcast, concurrent_cost},
    {"chain", Collective::bcast, kPjesivac, any, vector_segments, chain_bcast, chain_tree_cost},
    {"binary tree", Collective::bcast, kPjesivac, any, vector_segments, binary_bcast, binary_cost},
    {"split binary tree", Collective::bcast, kPjesivac, two_halves, halves_in_segments, split_binary_bcast,
     split_binary_cost},
    {"k-nomial tree", Collective::bcast, kOpenMpi, radix, vector_segments, knomial_bcast, knomial_cost},
    {"scatter and ring allgather", Collective::bcast, kThakur, element_for_each, each, scatter_ring_bcast,
     scatter_ring_cost},
    {"scatter and recursive doubling allgather", Collective::bcast, kThakur, element_for_each_of_a_power, each,
     scatter_doubling_bcast, scatter_doubling_cost},
    han(Collective::bcast, han_supports_even, han_bcast),
    {"linear", Collective::gather, kByDefinition, any, each, linear_gather, linear_cost},
    {"binomial tree", Collective::gather, kThakur, any, each, binomial_gather, binomial_blocks_cost},
    {"linear, synchronised", Collective::gather, kOpenMpi, any, each, synchronised_gather, synchronised_cost},
    han(Collective::gather, han_supports_even, han_gather),
    {"linear", Collective::scatter, kByDefinition, any, each, linear_scatter, linear_cost},
    {"binomial tree", Collective::scatter, kThakur, any, each, binomial_scatter, binomial_blocks_cost},
    {"linear, concurrent", Collective::scatter, kOpenMpi, any, each, concurrent_scatter, concurrent_cost},
    han(Collective::scatter, han_supports_even, han_scatter),
    {"ring", Collective::allgather, kThakur, any, each, ring_allgather, ring_cost, true},
    {"recursive doubling", Collective::allgather, kThakur, power_of_two, each, doubling_allgather,
     doubling_allgather_cost},
    {"Bruck", Collective::allgather, kBruck, any, each, bruck_allgather, bruck_allgather_cost, true},
    {"neighbour exchange", Collective::allgather, kChen, even, each, neighbour_allgather, neighbour_cost},
    {"linear", Collective::allgather, kByDefinition, any, each, linear_allgather, linear_alltoall_cost, true},
    {"two ranks", Collective::allgather, kOpenMpi, two, each, ring_allgather, ring_cost, true},
    han(Collective::allgather, han_supports_even, han_allgather),
    {"pairwise exchange", Collective::alltoall, kThakur, any, each, pairwise_alltoall, pairwise_cost, true},
    {"linear", Collective::alltoall, kByDefinition, any, each, linear_alltoall, linear_alltoall_cost, true},
    {"linear, throttled", Collective::alltoall, kThakur, any, each, throttled_alltoall, throttled_cost, true},
    {"Bruck", Collective::alltoall, kBruck, equal_blocks, each, bruck_alltoall, bruck_alltoall_cost, true},
    {"two ranks", Collective::alltoall, kOpenMpi, two, each, pairwise_alltoall, pairwise_cost, true},
    {"binomial tree", Collective::reduce, kThakur, commutative_or_from_first, undivided, binomial_reduce,
     binomial_cost},
    {"linear", Collective::reduce, kByDefinition, any, undivided, linear_reduce, linear_cost},
    {"chain", Collective::reduce, kPjesivac, commutative, vector_segments, chain_reduce, chain_tree_cost},
    {"binary tree", Collective::reduce, kPjesivac, commutative, vector_segments, binary_reduce, binary_cost},
    {"in-order binary tree", Collective::reduce, kPjesivac, any, vector_segments, in_order_reduce, in_order_cost},
    {"k-nomial tree", Collective::reduce, kOpenMpi, commutative_radix, vector_segments, knomial_reduce, knomial_cost},
    {"Rabenseifner", Collective::reduce, kRabenseifner, long_vectors, each_active, rabenseifner_reduce,
     rabenseifner_reduce_cost},
    han(Collective::reduce, han_reduces_even, han_reduce),
    {"recursive doubling", Collective::allreduce, kThakur, any, undivided, doubling_allreduce, doubling_cost},
    {"linear", Collective::allreduce, kByDefinition, any, undivided, linear_allreduce, linear_allreduce_cost},
    {"reduce and broadcast", Collective::allreduce, kThakur, any, undivided, reduce_bcast_allreduce, reduce_bcast_cost},
    {"allgather and reduce", Collective::allreduce, kByDefinition, commutative, undivided, direct_allreduce,
     linear_alltoall_cost, true},
    {"ring", Collective::allreduce, kPatarasuk, vector_for_ring, ring_blocks, ring_allreduce, ring_allreduce_cost,
     true},
    {"Rabenseifner", Collective::allreduce, kRabenseifner, long_vectors, each_active, rabenseifner_allreduce,
     rabenseifner_cost},
    {"Rabenseifner, folding halves", Collective::allreduce, kRabenseifner, long_vectors, each_active, halves_allreduce,
     halves_allreduce_cost},
    {"recursive multiplying", Collective::allreduce, kRuefenacht, commutative_radix, undivided, multiplying_allreduce,
     multiplying_cost},
    {"in network", Collective::allreduce, kSharp, several, vector_segments, switch_allreduce, switch_cost, false,
     switches_of},
    han(Collective::allreduce, han_reduces, han_allreduce),
    {"recursive halving", Collective::reduce_scatter, kThakur, commutative, each, halving_reduce_scatter, halving_cost},
    {"recursive doubling", Collective::reduce_scatter, kThakur, power_of_two, each, doubling_reduce_scatter,
     doubling_reduce_scatter_cost},
    {"pairwise exchange", Collective::reduce_scatter, kThakur, commutative, each, pairwise_reduce_scatter,
     pairwise_cost},
    {"ring", Collective::reduce_scatter, kOpenMpi, commutative, each, ring_reduce_scatter, ring_cost, true},
    {"butterfly", Collective::reduce_scatter, kTraeff, any, each, butterfly_reduce_scatter, butterfly_cost},
    {"butterfly of blocks", Collective::reduce_scatter, kTraeff, power_of_two, each, strided_reduce_scatter,
     strided_cost},
    {"chain", Collective::scan, kByDefinition, any, undivided, chain_scan, chain_cost},
    {"recursive doubling", Collective::scan, kThakur, any, undivided, doubling_scan, doubling_scan_cost},
};

bool divides_a_vector(Collective collective) {
    return collective == Collective::bcast || collective == Collective::reduce || collective == Collective::allreduce ||
           collective == Collective::scan;
}

/// True if two names are equal except for case, hyphens, underscores and spaces.
bool same_name(std::string_view a, std::string_view b) {
    const auto plain = [](char c) { return c == '-' || c == '_' ? ' ' : static_cast<char>(std::tolower(c)); };
    return std::ranges::equal(a, b, {}, plain, plain);
}

}  // namespace

std::span<const Algorithm> algorithms() { return kAlgorithms; }

const Algorithm& algorithm(Collective collective, std::string_view name) {
    std::string known;
    for (const Algorithm& candidate : kAlgorithms) {
        if (candidate.collective != collective) continue;
        if (same_name(candidate.name, name)) return candidate;
        known += (known.empty() ? "'" : "', '") + std::string(candidate.name);
    }
    throw InvalidInput("there is no algorithm '" + std::string(name) + "' for " + std::string(name_of(collective)) +
                       "; there are: " + known + "'");
}

Collective collective_named(std::string_view name) {
    const auto& known = kEnumerators<Collective>;
    const auto* const match =
        std::ranges::find_if(known, [&](std::string_view candidate) { return same_name(candidate, name); });
    if (match != known.end()) return static_cast<Collective>(match - known.begin());
    throw InvalidInput("there are no algorithms for '" + std::string(name) + "'; there are for: " + names_of(known));
}

int participants(const Algorithm& algorithm, const Operation& operation) {
    return operation.ranks + (algorithm.switches == nullptr ? 0 : algorithm.switches(operation));
}

std::uint64_t bytes_of(const Algorithm& algorithm, const Operation& operation, Blocks blocks) {
    const int all = algorithm.blocks(operation);
    if (!operation.shares.empty()) {
        std::uint64_t sum = 0;
        for (int i = 0; i < blocks.count; ++i) sum += operation.shares[static_cast<std::size_t>(blocks.at(i) % all)];
        return sum;
    }
    if (!divides_a_vector(algorithm.collective)) return count(blocks.count) * operation.bytes;
    const int end = blocks.first + blocks.count;  // Blocks of vectors have no gaps.
    const auto begin = [&](int i) { return begin_of(operation, all, i); };
    if (end <= all) return begin(end) - begin(blocks.first);
    return operation.bytes - begin(blocks.first) + begin(end - all);
}

}  // namespace waywiser::collectives
