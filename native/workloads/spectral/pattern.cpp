#include "workloads/spectral/pattern.hpp"

#include "workloads/common/matrix_market.hpp"

namespace waywiser::spectral {
namespace {

/// Traffic from one rank to another in transforms to the grid and back, which have the same partners.
Sent entry(const Traffic& traffic, Index from, Index to, Index bytes_there, Index bytes_back) {
    return {.from = from,
            .to = to,
            .bytes = traffic.stages * (bytes_there + bytes_back),
            .messages = traffic.stages * ((bytes_there > 0 ? 1 : 0) + (bytes_back > 0 ? 1 : 0))};
}

}  // namespace

Transposed transposed_bytes(const Layout& layout, Index kinds) {
    Transposed sum{};
    const Index fields = kinds * layout.levels();
    for (Index w = 0; w < layout.ranks().w; ++w) {
        for (Index v = 0; v < layout.ranks().v; ++v) {
            sum.rows += fields * layout.row_bytes(w, v);
            sum.coefficients += fields * layout.coefficient_bytes(w, v);
        }
        for (Index w2 = 0; w2 < layout.ranks().w; ++w2) sum.columns += fields * layout.column_bytes(w, w2);
    }
    return sum;
}

void write_pattern(const std::string& file, const Layout& layout, const Traffic& traffic) {
    const RankGrid& grid = layout.ranks();
    // Bytes of one field, which are the same for all fields and all v of the sender.
    std::vector<Index> row_bytes;
    std::vector<Index> column_bytes;
    for (Index w = 0; w < grid.w; ++w) {
        for (Index v = 0; v < grid.v; ++v) row_bytes.push_back(layout.row_bytes(w, v));
        for (Index w2 = 0; w2 < grid.w; ++w2) column_bytes.push_back(layout.column_bytes(w, w2));
    }
    const auto row = [&](Index w, Index v) { return row_bytes[static_cast<std::size_t>(w * grid.v + v)]; };
    const auto column = [&](Index w, Index w2) { return column_bytes[static_cast<std::size_t>(w * grid.w + w2)]; };
    write_matrices(file, grid.w * grid.v, [&](const auto& take) {
        for (Index w = 0; w < grid.w; ++w) {
            for (Index v = 0; v < grid.v; ++v) {
                const Index from = w * grid.v + v;
                const Index levels = layout.levels(v).size();
                for (Index w2 = 0; w2 < grid.w; ++w2) {
                    if (w2 == w) continue;
                    take(entry(traffic, from, w2 * grid.v + v, traffic.there * levels * column(w, w2),
                               traffic.back * levels * column(w2, w)));
                }
                for (Index v2 = 0; v2 < grid.v; ++v2) {
                    if (v2 == v) continue;
                    take(entry(traffic, from, w * grid.v + v2, traffic.there * levels * row(w, v2),
                               traffic.back * layout.levels(v2).size() * row(w, v)));
                }
            }
        }
    });
}

}  // namespace waywiser::spectral
