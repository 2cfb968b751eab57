/// Ghost faces, grouped by messages.
#pragma once

#include "workloads/rupture/clusters.hpp"

namespace waywiser::rupture {

/// Ghost faces behind which a neighbouring rank has cells of one cluster, at cells of one cluster here.
struct Parcel {
    int part;
    int here;                          ///< cluster
    int there;                         ///< cluster; 1 less or more at most
    std::vector<std::int64_t> ghosts;  ///< ghosts by number, in the order on which both ranks agree
    std::vector<GhostFace> faces;      ///< faces of this rank's cells
};

/// Parcels by cluster here, cluster there, and rank.
[[nodiscard]] std::vector<Parcel> make_parcels(const MeshPart& mesh, const Clusters& clusters);

}  // namespace waywiser::rupture
