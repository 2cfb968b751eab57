#include "workloads/rupture/clusters.hpp"

#include "workloads/rupture/geometry.hpp"
#include "workloads/rupture/neighbours.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace waywiser::rupture {
namespace {

/// A step may exceed the stable step by this fraction, so that rounding does not halve the step.
constexpr double rounding = 1e-9;

std::vector<double> stable_steps_s(const MeshPart& mesh, const std::vector<Material>& materials, int order) {
    std::vector<double> steps;
    steps.reserve(materials.size());
    for (std::size_t cell = 0; cell < materials.size(); ++cell) {
        steps.push_back(2 * insphere_radius(mesh.vertices[cell]) / (materials[cell].vp() * (2 * order - 1)));
    }
    return steps;
}

double shortest(const std::vector<double>& steps, MPI_Comm communicator) {
    double least = std::numeric_limits<double>::infinity();
    for (const double step : steps) least = std::min(least, step);
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, communicator);
    return least;
}

/// Lowers clusters as their neighbours and faults require. \return true if a cluster of this rank's cells was lowered
bool lower(Clusters& clusters, const MeshPart& mesh) {
    bool lowered = false;
    for (std::size_t cell = 0; cell < mesh.faces.size(); ++cell) {
        for (const MeshFace& face : mesh.faces[cell]) {
            const int excess = clusters.difference(cell, face) + (face.tag == dynamic_rupture ? 0 : 1);
            if (excess >= 0) continue;
            clusters.of_cell[cell] += excess;
            lowered = true;
        }
    }
    return lowered;
}

std::vector<std::int32_t> tell_neighbours(const Clusters& clusters, const MeshPart& mesh, MPI_Comm communicator) {
    std::vector<std::int32_t> own;
    own.reserve(mesh.ghosts.size());
    for (const GhostFace& ghost : mesh.ghosts) own.push_back(clusters.of_cell[static_cast<std::size_t>(ghost.cell)]);
    return exchange_with_neighbours(mesh, own, communicator);
}

std::vector<std::int64_t> count_cells(const std::vector<std::int32_t>& of_cell, MPI_Comm communicator) {
    constexpr std::size_t most = 64;
    std::vector<std::int64_t> counts(most);
    for (const std::int32_t cluster : of_cell) ++counts[static_cast<std::size_t>(cluster)];
    MPI_Allreduce(MPI_IN_PLACE, counts.data(), most, MPI_INT64_T, MPI_SUM, communicator);
    while (counts.back() == 0) counts.pop_back();
    return counts;
}

double updates_in(const std::vector<std::int64_t>& histogram, std::int64_t ticks) {
    double sum = 0;
    for (std::size_t l = 0; l < histogram.size(); ++l) {
        sum += static_cast<double>(histogram[l]) * static_cast<double>(ticks >> l);
    }
    return sum;
}

}  // namespace

Clusters::Clusters(const MeshPart& mesh, const std::vector<Material>& materials, int order, const Stepping& stepping,
                   MPI_Comm communicator) {
    const std::vector<double> steps = stable_steps_s(mesh, materials, order);
    const double least = shortest(steps, communicator);
    for (const double step : steps) of_cell.push_back(std::ilogb(step / least * (1 + rounding)));
    int lowered = 1;
    while (lowered != 0) {
        of_ghost = tell_neighbours(*this, mesh, communicator);
        lowered = lower(*this, mesh) ? 1 : 0;
        MPI_Allreduce(MPI_IN_PLACE, &lowered, 1, MPI_INT, MPI_MAX, communicator);
    }

    // Whole steps of the last cluster fill an interval: in a short interval, fewer clusters may need fewer updates.
    std::vector<std::int64_t> tried = count_cells(of_cell, communicator);
    while (true) {
        const std::size_t last = tried.size() - 1;
        const double longest = stepping.cfl * least * std::ldexp(1.0, static_cast<int>(last));
        const std::int64_t filled = std::llround(std::ceil(stepping.interval_s / longest * (1 - rounding))) << last;
        const bool allowed = stepping.local || last == 0;
        if (allowed && (ticks == 0 || updates_in(tried, filled) < updates())) {
            histogram = tried;
            ticks = filled;
        }
        if (last == 0) break;
        tried[last - 1] += tried[last];
        tried.pop_back();
    }
    dt = stepping.interval_s / static_cast<double>(ticks);
    const std::int32_t last = count() - 1;
    for (std::int32_t& cluster : of_cell) cluster = std::min(cluster, last);
    for (std::int32_t& cluster : of_ghost) cluster = std::min(cluster, last);
}

int Clusters::standing(std::int64_t tick) const {
    return std::min(count(), std::countr_zero(static_cast<std::uint64_t>(tick)) + 1);
}

int Clusters::difference(std::size_t cell, const MeshFace& face) const {
    if (face.neighbour < 0) return 0;
    const auto behind = static_cast<std::size_t>(face.neighbour);
    return (behind < of_cell.size() ? of_cell[behind] : of_ghost[behind - of_cell.size()]) - of_cell[cell];
}

double Clusters::updates() const { return updates_in(histogram, ticks); }

}  // namespace waywiser::rupture
