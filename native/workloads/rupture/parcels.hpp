/// Ghost faces, grouped by message.
#pragma once

#include "workloads/rupture/clusters.hpp"

namespace waywiser::rupture {

/// Ghost faces between cells of one cluster on this rank and cells of one cluster on a neighbouring rank.
struct Parcel {
    int part;
    int here;                          ///< cluster on this rank
    int there;                         ///< cluster on the neighbouring rank; differs from `here` by at most 1
    std::vector<std::int64_t> ghosts;  ///< ghosts by number, in the order on which both ranks agree
    std::vector<GhostFace> faces;      ///< faces of this rank's cells
};

/// Parcels in the order of `here`, `there` and rank.
[[nodiscard]] std::vector<Parcel> make_parcels(const MeshPart& mesh, const Clusters& clusters);

}  // namespace waywiser::rupture
