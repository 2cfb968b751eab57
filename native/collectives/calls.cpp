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
    Operation made{.ranks = ranks, .root = std::max(root, 0), .bytes = call.sent};
    switch (collective) {
        case Collective::barrier: made.bytes = 0; break;
        case Collective::bcast: made.bytes = std::max(call.sent, call.posted); break;
        case Collective::scatter:
            // The root's bytes are all ranks' together; of others their own part is known.
            made.bytes = call.sent > 0 ? call.sent / n : call.posted;
            if (call.shares.size() == n) made.shares = call.shares;
            break;
        case Collective::allgather:
            // Who passes on parts of others does not know how long they are: the mean.
            if (operation.ends_with("v")) made.bytes = call.posted / n;
            break;
        case Collective::alltoall:
        case Collective::reduce_scatter: made.bytes = call.sent / n; break;
        default: break;
    }
    return made;
}

const Algorithm& default_algorithm(Collective collective, const Operation& operation) {
    const Algorithm* first = nullptr;
    for (const Algorithm& one : algorithms()) {
        if (one.collective != collective) continue;
        if (one.supports(operation)) return one;
        if (first == nullptr) first = &one;
    }
    return *first;
}

std::uint64_t bytes_sent(const Algorithm& algorithm, const Operation& operation, int rank, const Step& step,
                         const CallBytes& call) {
    if (algorithm.collective == Collective::barrier) return 0;
    const auto ranks = static_cast<std::size_t>(operation.ranks);
    if (algorithm.collective != Collective::alltoall || call.shares.size() != ranks)
        return bytes_of(algorithm, operation, step.sent);
    std::uint64_t sum = 0;
    for (int i = 0; i < step.sent.count; ++i) {
        const int block = (step.sent.first + i) % (operation.ranks * operation.ranks);
        sum += block / operation.ranks == rank ? call.shares[static_cast<std::size_t>(block % operation.ranks)]
                                               : operation.bytes;
    }
    return sum;
}

}  // namespace waywiser::collectives
