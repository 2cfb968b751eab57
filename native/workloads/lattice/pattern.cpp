#include "workloads/lattice/pattern.hpp"

#include "workloads/common/matrix_market.hpp"

namespace waywiser::lattice {
namespace {

std::vector<Sent> entries_of(const Index4& extents, const Index4& grid) {
    std::vector<Sent> entries;
    const Index ranks = product(grid);
    for (Index rank = 0; rank < ranks; ++rank) {
        const Torus torus(extents, grid, rank);
        for (std::size_t axis = 0; axis < axes; ++axis) {
            if (!torus.is_cut(axis)) continue;
            const Index bytes = hops_an_iteration * message_bytes(torus, axis);
            const Index next = torus.neighbour(forward(axis));
            const Index last = torus.neighbour(backward(axis));
            if (next == last) {
                entries.push_back({rank, next, 2 * bytes, 2 * hops_an_iteration});
                continue;
            }
            entries.push_back({rank, next, bytes, hops_an_iteration});
            entries.push_back({rank, last, bytes, hops_an_iteration});
        }
    }
    return entries;
}

}  // namespace

void write_pattern(const std::string& file, const Index4& extents, const Index4& ranks) {
    write_matrices(file, product(ranks), entries_of(extents, ranks));
}

}  // namespace waywiser::lattice
