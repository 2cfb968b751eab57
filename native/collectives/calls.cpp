#include "collectives/calls.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace waywiser::collectives {
namespace {

struct Named {
    std::string_view name;
    Collective collective;
};

constexpr std::array<Named, 12> kNames{{{"barrier", Collective::barrier},
                                        {"bcast", Collective::bcast},
                                        {"gather", Collective::gather},
                                        {"scatter", Collective::scatter},
                                        {"allgather", Collective::allgather},
                                        {"alltoall", Collective::alltoall},
                                        {"reduce", Collective::reduce},
                                        {"allreduce", Collective::allreduce},
                                        {"reduce_scatter", Collective::reduce_scatter},
                                        {"reduce_scatter_block", Collective::reduce_scatter},
                                        {"scan", Collective::scan},
                                        {"exscan", Collective::scan}}};

std::optional<Collective> named(std::string_view name) {
    const auto* at = std::ranges::find(kNames, name, &Named::name);
    return at == kNames.end() ? std::nullopt : std::optional(at->collective);
}

bool reduces(Collective collective) {
    return collective == Collective::reduce || collective == Collective::allreduce ||
           collective == Collective::reduce_scatter || collective == Collective::scan;
}

/// Records have bytes but no datatype: if the bytes are a multiple of a double's size, elements count as doubles.
std::uint64_t likely_element_bytes(std::uint64_t bytes) {
    std::uint64_t size = sizeof(double);
    while (bytes % size != 0) size /= 2;
    return size;
}

}  // namespace

std::optional<Collective> collective_of(std::string_view operation) {
    std::string name;
    for (const char letter : operation)
        name += static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter + 32 : letter);
    const bool varying = name.ends_with('v') || name.ends_with('w');
    const auto plain = named(name);
    return plain || !varying ? plain : named(std::string_view(name).substr(0, name.size() - 1));
}

Operation operation_of(Collective collective, std::string_view operation, int ranks, int root, const CallBytes& call) {
    const auto n = static_cast<std::uint64_t>(std::max(ranks, 1));
    const bool named = call.shares.size() == n;
    Operation result{.ranks = ranks, .root = std::max(root, 0), .bytes = call.sent > 0 ? call.sent : call.posted};
    switch (collective) {
        case Collective::barrier: result.bytes = 0; break;
        case Collective::gather:
            // With MPI_IN_PLACE, the root sends nothing and receives the data of all ranks.
            if (call.sent == 0) result.bytes = call.posted / n;
            break;
        case Collective::scatter:
            // The root's bytes are those of all ranks; other ranks know only their own part.
            if (call.sent > 0) result.bytes = call.sent / n;
            if (named) result.shares = call.shares;
            break;
        case Collective::allgather:
            // A rank that forwards others' parts does not know their lengths and uses the mean.
            if (operation.ends_with('v') || call.sent == 0) result.bytes = call.posted / n;
            break;
        case Collective::alltoall:
            result.bytes /= n;
            if (named) result.shares = call.shares;
            break;
        case Collective::reduce_scatter: result.bytes = call.sent > 0 ? call.sent / n : call.posted; break;
        default: break;
    }
    if (reduces(collective)) result.element_bytes = likely_element_bytes(result.bytes);
    return result;
}

const Algorithm& default_algorithm(Collective collective, const Operation& operation) {
    const Algorithm* first = nullptr;
    for (const Algorithm& candidate : algorithms()) {
        if (candidate.collective != collective) continue;
        if (candidate.supports(operation)) return candidate;
        if (first == nullptr) first = &candidate;
    }
    return *first;
}

std::vector<std::uint64_t> by_distance(std::span<const std::uint64_t> to_ranks, int rank) {
    std::vector<std::uint64_t> shares(to_ranks.begin(), to_ranks.end());
    std::ranges::rotate(shares, shares.begin() + rank);
    return shares;
}

}  // namespace waywiser::collectives
