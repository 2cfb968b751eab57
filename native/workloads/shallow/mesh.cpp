#include "workloads/shallow/mesh.hpp"

#include "base/durable_file.hpp"
#include "base/error.hpp"
#include "workloads/common/cache.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace waywiser::shallow {
namespace {

constexpr int iterations = 100;
/// Largest grid that starts from the icosahedron itself.
constexpr Index last_from_scratch = 5;
constexpr int cache_version = 1;

/// Corners with two poles on one axis: northern rhombi start at the first corner, southern rhombi end at its antipode.
std::vector<Vector3> icosahedron() {
    const double phi = (1 + std::sqrt(5.0)) / 2;
    std::vector<Vector3> corners;
    for (const double short_half : {1.0, -1.0}) {
        for (const double long_half : {phi, -phi}) {
            corners.push_back(unit({0, short_half, long_half}));
            corners.push_back(unit({short_half, long_half, 0}));
            corners.push_back(unit({long_half, 0, short_half}));
        }
    }
    const Vector3 north = corners.front();
    // These are the five corners next to a pole, in arbitrary order.
    const auto near = [&](const Vector3& pole) {
        std::vector<Vector3> ring;
        for (const Vector3& corner : corners) {
            if (dot(corner, pole) > 0 && dot(corner, pole) < 0.9) ring.push_back(corner);
        }
        return ring;
    };
    std::vector<Vector3> upper = near(north);
    const Vector3 first = upper.front();
    const auto angle = [&](const Vector3& p) {
        const double around =
            std::atan2(dot(north, cross(first, p)), dot(first, p) - dot(first, north) * dot(p, north));
        return around < -1e-9 ? around + 2 * pi : around;
    };
    const auto by_angle = [&](const Vector3& a, const Vector3& b) { return angle(a) < angle(b); };
    std::ranges::sort(upper, by_angle);
    std::vector<Vector3> lower = near(-1.0 * north);
    std::ranges::sort(lower, by_angle);
    std::vector<Vector3> centres(static_cast<std::size_t>(cells_of(0)));
    centres.front() = north;
    centres.back() = -1.0 * north;
    for (std::size_t k = 0; k < 5; ++k) {
        centres[1 + k] = upper[k];
        centres[6 + k] = lower[k];
    }
    return centres;
}

/// Centres of the next finer grid: the given centres, and the midpoints of arcs between neighbours.
std::vector<Vector3> bisected(Index grid, const std::vector<Vector3>& coarse) {
    const Index n = Index{1} << (grid + 1);
    std::vector<Vector3> fine(static_cast<std::size_t>(cells_of(grid + 1)));
    for (int rhombus = 0; rhombus < rhombi; ++rhombus) {
        for (Index i = 0; i <= n; ++i) {
            for (Index j = 0; j <= n; ++j) {
                const Number from = cell_at(grid, rhombus, i / 2, (j + 1) / 2);
                const Number to = cell_at(grid, rhombus, (i + 1) / 2, j / 2);
                fine[at(cell_at(grid + 1, rhombus, i, j))] = unit(coarse[at(from)] + coarse[at(to)]);
            }
        }
    }
    return fine;
}

/// Runs Lloyd's iterations. Each moves every centre in the direction of the integral of x over its cell, which is half
/// the sum over the sides of angle times unit normal.
void relax(const Topology& topology, std::vector<Vector3>& centres) {
    std::vector<Vector3> corners(at(topology.vertices()));
    std::vector<Vector3> sides(at(topology.edges()));
    for (int iteration = 0; iteration < iterations; ++iteration) {
#pragma omp parallel for schedule(static)
        for (Number vertex = 0; vertex < topology.vertices(); ++vertex) {
            const auto& [a, b, c] = topology.vertex(vertex).cells;
            corners[at(vertex)] = circumcentre(centres[at(a)], centres[at(b)], centres[at(c)]);
        }
#pragma omp parallel for schedule(static)
        for (Number edge = 0; edge < topology.edges(); ++edge) {
            const auto& [right, left] = topology.edge(edge).vertices;
            const Vector3 normal = cross(corners[at(right)], corners[at(left)]);
            const double sine = norm(normal);
            sides[at(edge)] = std::atan2(sine, dot(corners[at(right)], corners[at(left)])) / sine * normal;
        }
#pragma omp parallel for schedule(static)
        for (Number number = 0; number < topology.cells(); ++number) {
            const Topology::Cell& cell = topology.cell(number);
            Vector3 integral{};
            for (std::size_t k = 0; k < static_cast<std::size_t>(cell.sides); ++k) {
                integral = integral + outward(topology.edge(cell.edges[k]), number) * sides[at(cell.edges[k])];
            }
            centres[at(number)] = unit(integral);
        }
    }
}

std::string cache_header(int version, Index grid) {
    return "ww-shallow mesh, version " + std::to_string(version) + ", " + std::to_string(cells_of(grid)) + " cells\n";
}

/// Reads cached centres; the result is empty if the file does not exist.
std::vector<Vector3> read_centres(const std::string& path, Index grid) {
    std::ifstream file(path, std::ios::binary);
    if (!file.is_open()) return {};
    std::string header;
    std::getline(file, header);
    require(header + '\n' == cache_header(cache_version, grid),
            path + ": not a mesh of version " + std::to_string(cache_version) + " with " +
                std::to_string(cells_of(grid)) + " cells; remove the file, and the mesh is made anew");
    std::vector<Vector3> centres(static_cast<std::size_t>(cells_of(grid)));
    const auto bytes = static_cast<std::streamsize>(centres.size() * sizeof(Vector3));
    file.read(reinterpret_cast<char*>(centres.data()), bytes);
    require(file.gcount() == bytes && file.peek() == std::ifstream::traits_type::eof(),
            path + ": not as long as " + std::to_string(cells_of(grid)) +
                " cells are; remove the file, and the mesh is made anew");
    return centres;
}

/// Writes centres to the cache. Errors are ignored, so that a full or read-only disk does not end a run.
void keep_centres(const std::string& path, Index grid, const std::vector<Vector3>& centres) {
    try {
        std::error_code ignored;
        std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
        DurableFile file(path);
        file.write(cache_header(cache_version, grid));
        file.write({reinterpret_cast<const char*>(centres.data()), centres.size() * sizeof(Vector3)});
        file.publish();
    } catch (const Error&) {
        return;
    }
}

}  // namespace

std::vector<Vector3> make_centres(Index grid) {
    std::vector<Vector3> centres;
    if (grid > last_from_scratch) {
        centres = bisected(grid - 1, cached_centres(grid - 1));
    } else {
        centres = icosahedron();
        for (Index level = 0; level < grid; ++level) centres = bisected(level, centres);
    }
    relax(Topology(grid), centres);
    return centres;
}

std::vector<Vector3> cached_centres(Index grid) {
    const std::string directory = cache_directory();
    const std::string path = directory + "/voronoi-" + std::to_string(grid) + ".mesh";
    if (!directory.empty()) {
        std::vector<Vector3> known = read_centres(path, grid);
        if (!known.empty()) return known;
    }
    std::vector<Vector3> centres = make_centres(grid);
    if (!directory.empty()) keep_centres(path, grid, centres);
    return centres;
}

Mesh::Mesh(const Topology& topology, std::vector<Vector3> centres) : topology_(topology), centres_(std::move(centres)) {
    for (Number number = 0; number < topology.cells(); ++number) {
        for (std::size_t k = 0; k < static_cast<std::size_t>(topology.cell(number).sides); ++k) {
            require(kite(number, k) > 0, "cell " + std::to_string(number) + " of the mesh has a kite without area");
        }
    }
}

Vector3 Mesh::corner(Number vertex) const {
    const auto& [a, b, c] = topology_.vertex(vertex).cells;
    return circumcentre(centre(a), centre(b), centre(c));
}

double Mesh::distance(Number edge) const {
    const auto& [from, to] = topology_.edge(edge).cells;
    return arc(centre(from), centre(to));
}

double Mesh::length(Number edge) const {
    const auto& [right, left] = topology_.edge(edge).vertices;
    return arc(corner(right), corner(left));
}

double Mesh::kite(Number cell, std::size_t k) const {
    const Topology::Cell& around = topology_.cell(cell);
    const Vector3& middle = centre(cell);
    const Vector3 at_vertex = corner(around.vertices[k]);
    const auto halfway = [&](std::size_t side) { return unit(middle + centre(around.neighbours[side])); };
    return triangle_area(middle, halfway(k), at_vertex) +
           triangle_area(middle, at_vertex, halfway((k + 1) % static_cast<std::size_t>(around.sides)));
}

double Mesh::kite_at(Number cell, Number vertex) const {
    const auto& vertices = topology_.cell(cell).vertices;
    return kite(cell, static_cast<std::size_t>(std::ranges::find(vertices, vertex) - vertices.begin()));
}

double Mesh::cell_area(Number cell) const {
    double area = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(topology_.cell(cell).sides); ++k) area += kite(cell, k);
    return area;
}

double Mesh::vertex_area(Number vertex) const {
    double area = 0;
    for (const Number cell : topology_.vertex(vertex).cells) area += kite_at(cell, vertex);
    return area;
}

}  // namespace waywiser::shallow
