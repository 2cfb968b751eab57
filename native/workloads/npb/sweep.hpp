/// Sweep of LU through the planes of axis 3. Threads share the rows of a plane: each thread is one plane behind the
/// thread with the preceding rows, as ranks are.
#pragma once

#include "workloads/npb/edges.hpp"
#include "workloads/npb/shares.hpp"

#include <algorithm>

namespace waywiser::npb {

/// Rows of axis 1 in a plane, numbered from 0 in the direction of the sweep.
struct Rows {
    Index plane;
    Index begin, end;
    Index part;  ///< number of the part, below `parts_of_plane`
    bool forwards;

    /// The position of a row among a rank's inner points.
    [[nodiscard]] Index at(const Region& inner, Index row) const {
        return forwards ? inner.lo[1] + row : inner.hi[1] - 1 - row;
    }
};

/// Number of threads that share the rows of a plane.
[[nodiscard]] inline Index parts_of_plane(const Region& inner) {
    return std::clamp(inner.extent(1), Index{1}, Index{thread_limit()});
}

/// Collective over the ranks that share a plane. Calls `relax(rows)` for all rows of all planes, each row after its
/// predecessors.
template <class Relax>
void sweep(Edges& edges, const Region& inner, bool forwards, Relax relax) {
    const Index planes = inner.extent(2);
    const Index rows = inner.extent(1);
    const auto plane_at = [&](Index n) { return forwards ? inner.lo[2] + n : inner.hi[2] - 1 - n; };
#pragma omp parallel num_threads(static_cast<int>(parts_of_plane(inner)))
    {
        const Index parts = team_size();
        const Index part = thread_number();
        for (Index n = 0; n < planes + parts; ++n) {
#pragma omp master
            {
                if (n >= parts) edges.send(plane_at(n - parts), forwards ? Side::high : Side::low);
                if (n < planes) edges.receive(plane_at(n), forwards ? Side::low : Side::high);
            }
#pragma omp barrier
            const Index mine = n - part;
            if (mine >= 0 && mine < planes) {
                relax(Rows{.plane = plane_at(mine),
                           .begin = end_of_share(rows, part - 1, parts),
                           .end = end_of_share(rows, part, parts),
                           .part = part,
                           .forwards = forwards});
            }
#pragma omp barrier
        }
    }
}

}  // namespace waywiser::npb
