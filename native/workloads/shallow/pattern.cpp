#include "workloads/shallow/pattern.hpp"

#include "workloads/common/matrix_market.hpp"

namespace waywiser::shallow {

void write_pattern(const Settings& settings, const Topology& topology, const Partition& partition) {
    const bool is_packed = settings.exchanges == "packed";
    Shares shares(topology, partition, settings.matrix_ranks);
    std::vector<Sent> sent;
    for (int rank = 0; rank < settings.matrix_ranks; ++rank) {
        for (const auto& [from, packet] : shares.of(rank).received) {
            const Index messages = is_packed ? 1 : (packet.cells.empty() ? 0 : 1) + (packet.edges.empty() ? 0 : 1);
            const Index bytes = static_cast<Index>(sizeof(double)) * settings.levels * packet.values();
            sent.push_back({from, rank, stages * bytes, stages * messages});
        }
    }
    write_matrices(settings.matrix, settings.matrix_ranks, sent);
}

}  // namespace waywiser::shallow
