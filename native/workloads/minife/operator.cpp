#include "workloads/minife/operator.hpp"

#include "workloads/common/stopwatch.hpp"

namespace waywiser::minife {

RowSplit split_rows(const Layout& layout) {
    const Box& owned = layout.owned;
    Box interior = owned;  // keeps clear of the box's sides, but not of the cube's: nobody is behind those
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (owned.lo[axis] > 0) ++interior.lo[axis];
        if (owned.hi[axis] < layout.mesh.nodes(axis)) --interior.hi[axis];
    }
    RowSplit split;
    const auto append = [](std::vector<RowRange>& ranges, Index begin, Index end) {
        if (begin == end) return;
        if (!ranges.empty() && ranges.back().end == begin) {
            ranges.back().end = end;
        } else {
            ranges.push_back({begin, end});
        }
    };
    const Index length = owned.extent(0);
    for (Index z = owned.lo[2]; z < owned.hi[2]; ++z) {
        for (Index y = owned.lo[1]; y < owned.hi[1]; ++y) {
            const Index start = layout.row({owned.lo[0], y, z});
            const bool crosses = interior.extent(0) > 0 && interior.contains({interior.lo[0], y, z});
            const Index low = crosses ? interior.lo[0] - owned.lo[0] : length;
            const Index high = crosses ? interior.hi[0] - owned.lo[0] : length;
            append(split.boundary, start, start + low);
            append(split.interior, start + low, start + high);
            append(split.boundary, start + high, start + length);
        }
    }
    return split;
}

void Operator::apply(double* x, double* y) {
    Stopwatch watch;
    halo_.start(x);
    if (overlap_) {
        exchange_s_ += watch.lap_s();
        for (const RowRange& range : split_.interior) multiply(matrix_, range, x, y);
        watch.lap_s();
    }
    halo_.finish();
    exchange_s_ += watch.lap_s();
    if (overlap_) {
        for (const RowRange& range : split_.boundary) multiply(matrix_, range, x, y);
    } else {
        multiply(matrix_, {0, matrix_.rows()}, x, y);
    }
}

}  // namespace waywiser::minife
