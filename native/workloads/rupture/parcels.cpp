#include "workloads/rupture/parcels.hpp"

#include <array>
#include <map>

namespace waywiser::rupture {

std::vector<Parcel> make_parcels(const MeshPart& mesh, const Clusters& clusters) {
    std::map<std::array<int, 3>, Parcel> parcels;
    std::size_t ghost = 0;
    for (const NeighbourPart& neighbour : mesh.neighbours) {
        for (int i = 0; i < neighbour.ghosts; ++i, ++ghost) {
            const GhostFace& face = mesh.ghosts[ghost];
            const int here = clusters.of_cell[static_cast<std::size_t>(face.cell)];
            const int there = clusters.of_ghost[ghost];
            Parcel& parcel = parcels[{here, there, neighbour.part}];
            parcel.part = neighbour.part;
            parcel.here = here;
            parcel.there = there;
            parcel.ghosts.push_back(static_cast<std::int64_t>(ghost));
            parcel.faces.push_back(face);
        }
    }
    std::vector<Parcel> all;
    all.reserve(parcels.size());
    for (auto& [where, parcel] : parcels) all.push_back(std::move(parcel));
    return all;
}

}  // namespace waywiser::rupture
