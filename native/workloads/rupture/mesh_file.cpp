#include "workloads/rupture/mesh_file.hpp"

#include "base/error.hpp"
#include "workloads/rupture/geometry.hpp"

#include <cstring>
#include <fstream>
#include <limits>

namespace waywiser::rupture {
namespace {

using Header = std::array<std::int64_t, 8>;

class Reader {
public:
    explicit Reader(const std::string& path) : path_(path), file_(path, std::ios::binary) {
        require(file_.is_open(), "cannot read '" + path + "': give the file that `waywiser mesh import` wrote");
    }

    void seek(std::int64_t byte) { file_.seekg(byte); }

    template <class Value>
    void fill(Value* values, std::int64_t count) {
        const auto bytes = static_cast<std::streamsize>(count) * static_cast<std::streamsize>(sizeof(Value));
        file_.read(reinterpret_cast<char*>(values), bytes);
        require(file_.gcount() == bytes, "'" + path_ + "' is shorter than it says: write it anew");
    }

    template <class Value>
    std::vector<Value> values(std::int64_t count) {
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() / 2;
        require(count >= 0 && count < most, "'" + path_ + "' says that a part has " + std::to_string(count) +
                                                " cells or ghosts; from 0 to 10^9 can be");
        std::vector<Value> all(static_cast<std::size_t>(count));
        fill(all.data(), count);
        return all;
    }

private:
    std::string path_;
    std::ifstream file_;
};

bool sound(const MeshPart& part, const MeshFace& face) {
    if (face.neighbour_face < 0 || face.neighbour_face > 3 || face.rotation < 0 || face.rotation > 2) return false;
    const auto all = part.cells() + static_cast<std::int64_t>(part.ghosts.size());
    switch (face.tag) {
        case inside: return face.neighbour >= 0 && face.neighbour < all;
        case dynamic_rupture: return face.neighbour >= 0 && face.neighbour < part.cells();
        case free_surface:
        case absorbing: return face.neighbour == -1;
        default: return false;
    }
}

/// False if the cell behind a face is in this part, but has other vertices or another tag for the face.
bool meets(const MeshPart& part, std::size_t cell, std::size_t face) {
    const MeshFace& here = part.faces[cell][face];
    if (here.neighbour < 0 || here.neighbour >= part.cells()) return true;
    const auto behind = static_cast<std::size_t>(here.neighbour);
    const auto its_face = static_cast<std::size_t>(here.neighbour_face);
    for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t k = (static_cast<std::size_t>(here.rotation) + 3 - j) % 3;
        const Point& mine = part.vertices[cell][static_cast<std::size_t>(face_vertices[face][j])];
        if (mine != part.vertices[behind][static_cast<std::size_t>(face_vertices[its_face][k])]) return false;
    }
    return part.faces[behind][its_face].tag == here.tag;
}

void check(const MeshPart& part, const std::string& path) {
    std::int64_t shared = 0;
    for (const NeighbourPart& neighbour : part.neighbours) shared += neighbour.ghosts;
    require(shared == static_cast<std::int64_t>(part.ghosts.size()), "'" + path + "' shares " + std::to_string(shared) +
                                                                         " faces with neighbours, but lists " +
                                                                         std::to_string(part.ghosts.size()));
    for (const GhostFace& ghost : part.ghosts) {
        require(
            ghost.cell >= 0 && ghost.cell < part.cells() && ghost.face >= 0 && ghost.face < 4,
            "'" + path + "' shares a face of cell " + std::to_string(ghost.cell) + ", which its part does not have");
    }
    const auto refuse = [&](std::size_t cell, const std::string& defect) {
        throw InvalidInput("'" + path + "': cell " + std::to_string(part.ids[cell]) + " has " + defect);
    };
    for (std::size_t cell = 0; cell < part.faces.size(); ++cell) {
        if (!(determinant(part.vertices[cell]) > 0)) refuse(cell, "no positive volume: swap two of its vertices");
        for (const MeshFace& face : part.faces[cell]) {
            if (sound(part, face)) continue;
            refuse(cell, "a face with tag " + std::to_string(face.tag) + " and neighbour " +
                             std::to_string(face.neighbour) + ", which cannot be");
        }
    }
    for (std::size_t cell = 0; cell < part.faces.size(); ++cell) {
        for (std::size_t face = 0; face < 4; ++face) {
            if (meets(part, cell, face)) continue;
            refuse(cell,
                   "a face " + std::to_string(face) + " that its neighbour has in another place, or with another tag");
        }
    }
}

}  // namespace

MeshPart read_mesh_part(const std::string& path, int part, int parts) {
    Reader reader(path);
    Header header{};
    reader.fill(header.data(), 8);
    require(std::memcmp(header.data(), "WWMESH\0\0", 8) == 0 && header[1] == 1,
            "'" + path + "' is not a mesh of version 1: give the file that `waywiser mesh import` wrote");
    require(header[2] == parts, "'" + path + "' is cut into " + std::to_string(header[2]) + " parts, and there are " +
                                    std::to_string(parts) + " ranks: give as many");
    std::array<std::int64_t, 4> index{};
    reader.seek(64 + part * static_cast<std::int64_t>(sizeof index));
    reader.fill(index.data(), 4);

    const auto [begin, cells, neighbours, ghosts] = index;
    reader.seek(begin);
    MeshPart mesh;
    mesh.vertices = reader.values<std::array<Point, 4>>(cells);
    mesh.ids = reader.values<std::int64_t>(cells);
    mesh.groups = reader.values<std::int32_t>(cells);
    mesh.clusters = reader.values<std::int32_t>(cells);
    mesh.faces = reader.values<std::array<MeshFace, 4>>(cells);
    mesh.neighbours = reader.values<NeighbourPart>(neighbours);
    mesh.ghosts = reader.values<GhostFace>(ghosts);
    check(mesh, path);
    return mesh;
}

}  // namespace waywiser::rupture
