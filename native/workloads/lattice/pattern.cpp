#include "workloads/lattice/pattern.hpp"

#include "base/error.hpp"

#include <fstream>
#include <vector>

namespace waywiser::lattice {
namespace {

struct Entry {
    Index from, to;
    Index bytes, messages;
};

std::vector<Entry> entries_of(const Index4& extents, const Index4& grid) {
    std::vector<Entry> entries;
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

void write(const std::string& file, Index ranks, const std::vector<Entry>& entries, Index Entry::* value) {
    std::ofstream out(file);
    out << "%%MatrixMarket matrix coordinate integer general\n"
        << ranks << ' ' << ranks << ' ' << entries.size() << '\n';
    for (const Entry& entry : entries) out << entry.from + 1 << ' ' << entry.to + 1 << ' ' << entry.*value << '\n';
    out.close();
    require(!out.fail(), "cannot write '" + file + "': give a file in a folder where you may write");
}

}  // namespace

void write_pattern(const std::string& file, const Index4& extents, const Index4& ranks) {
    const std::vector<Entry> entries = entries_of(extents, ranks);
    write(file, product(ranks), entries, &Entry::bytes);
    write(file + ".messages.mtx", product(ranks), entries, &Entry::messages);
}

}  // namespace waywiser::lattice
