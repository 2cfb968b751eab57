/// The one table of algorithms.
#include <string>

#include "base/error.hpp"
#include "collectives/algorithms.hpp"
#include "collectives/powers.hpp"

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

bool any(const Operation& op) { return op.ranks > 0; }

/// Every rank of the power of two gets a block that is not empty.
bool long_vectors(const Operation& op) {
    return op.ranks > 1 && op.bytes >= static_cast<std::uint64_t>(power_below(op.ranks));
}

int one(const Operation&) { return 1; }
int each(const Operation& op) { return op.ranks; }
int each_pair(const Operation& op) { return op.ranks * op.ranks; }
int each_active(const Operation& op) { return power_below(op.ranks); }

constexpr Algorithm kAlgorithms[] = {
    {"dissemination", Collective::barrier, kHensgen, any, one, dissemination_barrier, dissemination_cost},
    {"binomial tree", Collective::bcast, kThakur, any, one, binomial_bcast, binomial_cost},
    {"linear", Collective::gather, kByDefinition, any, each, linear_gather, linear_cost},
    {"linear", Collective::scatter, kByDefinition, any, each, linear_scatter, linear_cost},
    {"ring", Collective::allgather, kThakur, any, each, ring_allgather, ring_cost},
    {"pairwise exchange", Collective::alltoall, kThakur, any, each_pair, pairwise_alltoall, pairwise_cost},
    {"binomial tree", Collective::reduce, kThakur, any, one, binomial_reduce, binomial_cost},
    {"recursive doubling", Collective::allreduce, kThakur, any, one, doubling_allreduce, doubling_cost},
    {"Rabenseifner", Collective::allreduce, kRabenseifner, long_vectors, each_active, rabenseifner_allreduce,
     rabenseifner_cost},
    {"recursive halving", Collective::reduce_scatter, kThakur, any, each, halving_reduce_scatter, halving_cost},
    {"chain", Collective::scan, kByDefinition, any, one, chain_scan, chain_cost},
};

/// Where block `i` of a vector begins: blocks differ by at most one byte.
std::uint64_t begin_of(std::uint64_t bytes, int blocks, int i) {
    const auto n = static_cast<std::uint64_t>(blocks);
    const auto k = static_cast<std::uint64_t>(i);
    return bytes / n * k + bytes % n * k / n;
}

bool divides_a_vector(Collective collective) {
    return collective == Collective::bcast || collective == Collective::reduce || collective == Collective::allreduce ||
           collective == Collective::scan;
}

}  // namespace

std::span<const Algorithm> algorithms() { return kAlgorithms; }

const Algorithm& algorithm(Collective collective, std::string_view name) {
    for (const Algorithm& one : kAlgorithms) {
        if (one.collective == collective && one.name == name) return one;
    }
    throw InvalidInput("there is no algorithm '" + std::string(name) + "' for this collective");
}

std::uint64_t bytes_of(const Algorithm& algorithm, const Operation& operation, Blocks blocks) {
    const int all = algorithm.blocks(operation);
    std::uint64_t sum = 0;
    for (int i = 0; i < blocks.count; ++i) {
        const int block = (blocks.first + i) % all;
        if (divides_a_vector(algorithm.collective)) {
            sum += begin_of(operation.bytes, all, block + 1) - begin_of(operation.bytes, all, block);
        } else {
            sum += operation.shares.empty() ? operation.bytes : operation.shares[static_cast<std::size_t>(block)];
        }
    }
    return sum;
}

}  // namespace waywiser::collectives
