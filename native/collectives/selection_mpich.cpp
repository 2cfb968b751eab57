/// Source: MPICH 5.0, maint/tuning/coll/mpir/generic.json (thresholds in bytes).
#include <numeric>

#include "collectives/powers.hpp"
#include "collectives/selection.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
namespace {

constexpr std::uint64_t kLongTotal = 524288;  ///< threshold for allgather and reduce-scatter
/// threshold for allgather if the number of ranks is not a power of two
constexpr std::uint64_t kLongTotalBruck = 81920;
constexpr std::uint64_t kShortBcast = 12288;
constexpr std::uint64_t kMediumBcast = 524288;
constexpr int kFewRanks = 8;  ///< threshold for bcast and alltoall
constexpr std::uint64_t kMediumAlltoall = 32768;

bool is_power(const Operation& op) { return op.ranks == power_below(op.ranks); }
bool is_short_of_elements(const Operation& op) { return elements(op) < count(power_below(op.ranks)); }

std::uint64_t total(const Operation& op) {
    if (op.shares.empty()) return op.bytes * count(op.ranks);
    return std::accumulate(op.shares.begin(), op.shares.end(), std::uint64_t{0});
}

std::string_view bcast(const Operation& op) {
    if (op.ranks < kFewRanks || op.bytes <= kShortBcast) return "binomial tree from afar";
    return is_power(op) && op.bytes <= kMediumBcast ? "scatter and recursive doubling allgather"
                                                    : "scatter and ring allgather";
}

std::string_view allgather(const Operation& op) {
    if (is_power(op)) return total(op) < kLongTotal ? "recursive doubling" : "ring";
    return total(op) < kLongTotalBruck ? "Bruck" : "ring";
}

std::string_view alltoall(const Operation& op, bool nonblocking) {
    if (!op.shares.empty()) return "linear, throttled";
    const std::uint64_t most_for_bruck = nonblocking ? 2048 : 256;
    if (op.ranks >= kFewRanks && op.bytes <= most_for_bruck) return "Bruck";
    return op.bytes <= kMediumAlltoall ? "linear, throttled" : "pairwise exchange";
}

std::string_view allreduce(const Operation& op, bool nonblocking) {
    const std::uint64_t most_for_doubling = nonblocking ? 2048 : 8;
    const bool is_short = op.bytes <= most_for_doubling || is_short_of_elements(op);
    return is_short || !op.commutative ? "recursive doubling" : "Rabenseifner";
}

/// If the number of ranks is not a power of two, MPICH folds whole vectors before its reduction.
Stage reduce(const Operation& op) {
    const bool is_short = op.bytes <= 2048 || is_short_of_elements(op) || !op.commutative;
    Stage reduction = stage(Collective::reduce, is_short ? "binomial tree" : "Rabenseifner", op);
    reduction.exact = reduction.exact && (is_short || is_power(op));
    return reduction;
}

std::string_view reduce_scatter(const Operation& op) {
    if (op.commutative) return total(op) < kLongTotal ? "recursive halving" : "pairwise exchange";
    return op.shares.empty() && is_power(op) ? "butterfly of blocks" : "recursive doubling";
}

}  // namespace

Stages select_mpich(Collective collective, const Operation& op, bool nonblocking) {
    const auto single_stage = [&](std::string_view name) { return Stages{stage(collective, name, op)}; };
    switch (collective) {
        case Collective::barrier: return single_stage("dissemination");
        case Collective::bcast: return single_stage(bcast(op));
        case Collective::gather:
        case Collective::scatter: return single_stage(op.shares.empty() ? "binomial tree" : "linear");
        case Collective::allgather: return single_stage(allgather(op));
        case Collective::alltoall: return single_stage(alltoall(op, nonblocking));
        case Collective::reduce: return {reduce(op)};
        case Collective::allreduce: return single_stage(allreduce(op, nonblocking));
        case Collective::reduce_scatter: return single_stage(reduce_scatter(op));
        case Collective::scan: return single_stage("recursive doubling");
    }
    return {};
}

}  // namespace waywiser::collectives
