/// Gathers ranks' data on rank 0.
#pragma once

#include "workloads/common/program.hpp"

#include <type_traits>
#include <vector>

namespace waywiser::rupture {

/// Returns all ranks' rows on rank 0, in the order of ranks. Rows consist of doubles only. Collective.
template <class Row>
[[nodiscard]] std::vector<Row> gather(const std::vector<Row>& own, const Ranks& ranks) {
    constexpr std::size_t value_bytes = sizeof(double);
    static_assert(std::is_trivially_copyable_v<Row> && sizeof(Row) % value_bytes == 0);
    constexpr auto doubles = static_cast<int>(sizeof(Row) / value_bytes);
    const int count = static_cast<int>(own.size()) * doubles;
    std::vector<int> counts(static_cast<std::size_t>(ranks.count));
    MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, ranks.communicator);
    std::vector<int> begins(counts.size());
    for (std::size_t i = 1; i < counts.size(); ++i) begins[i] = begins[i - 1] + counts[i - 1];
    std::vector<Row> all(static_cast<std::size_t>((begins.back() + counts.back()) / doubles));
    MPI_Gatherv(own.data(), count, MPI_DOUBLE, all.data(), counts.data(), begins.data(), MPI_DOUBLE, 0,
                ranks.communicator);
    return all;
}

}  // namespace waywiser::rupture
