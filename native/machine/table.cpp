/// The one table of topologies.
#include "machine/table.hpp"

#include <algorithm>

#include "base/names.hpp"
#include "machine/families.hpp"

namespace waywiser::machine {
namespace {

constexpr ParameterAbout kRouting = {
    "routing", "minimal (default), or adaptive: each message takes the minimal route or a detour, by load"};
constexpr ParameterAbout kGrid[] = {
    {"lengths", "vertices along each dimension, the fastest running first"},
    {"nodes_per_switch", "nodes on each vertex, which is then a switch; 0 (default): the nodes themselves are joined"},
    {"cables", "side by side, of each dimension or of all; default 1"},
};
constexpr ParameterAbout kHypercube[] = {
    {"dimensions", "of the cube"},
    {"nodes_per_switch", "nodes on each vertex; default 1"},
    {"cables", "side by side, of each dimension or of all; default 1"},
    {"planes", "separate cubes, each with a cable to every node; default 1"},
    {"switches_per_plane", "fewer than 2^dimensions where the last are left out"},
};
constexpr ParameterAbout kFatTree[] = {
    {"down", "of each level from the nodes up: vertices below one (m of PGFT)"},
    {"up", "of each level: vertices above one of the level below (w of PGFT); default 1"},
    {"cables", "of each level: side by side to the level below (p of PGFT); default 1"},
    {"routing", "d-mod-k (default) or ecmp"},
};
constexpr ParameterAbout kKAryNTree[] = {
    {"k", "vertices below and above each"},
    {"n", "levels of switches"},
    {"routing", "d-mod-k (default) or ecmp"},
};
constexpr ParameterAbout kThreeLevelFatTree[] = {
    {"ports", "of each switch, an even number"},
    {"routing", "d-mod-k (default) or ecmp"},
};
constexpr ParameterAbout kHierarchy[] = {
    {"sizes", "of each level from the nodes up: parts in one"},
    {"distances", "hops between nodes that meet at each level; default 2, 4, 6, ..."},
    {"cables", "of each level: side by side to the level below; default 1"},
};
constexpr ParameterAbout kAllToAll[] = {
    {"switches", "all joined to each other"},
    {"nodes_per_switch", "default 1"},
    {"cables", "side by side between two switches; default 1"},
};
constexpr ParameterAbout kHyperX[] = {
    {"lengths", "switches along each dimension, the fastest running first"},
    {"nodes_per_switch", "default 1"},
    {"cables", "side by side, of each dimension or of all; default 1"},
    kRouting,
};
constexpr ParameterAbout kDragonfly[] = {
    {"nodes_per_switch", "p"},
    {"switches_per_group", "a"},
    {"groups", "g"},
    {"global_ports", "h of each switch; default: as few as the groups need"},
    {"links_per_pair", "global links between two groups; default 1"},
    {"arrangement", "of global links: to the groups that follow, relative (default), or to 0, 1, ..., absolute"},
    {"local_cables", "side by side between two switches of a group; default 1"},
    {"global_cables", "side by side in a global link; default 1"},
    kRouting,
};

constexpr ParameterAbout kGraph[] = {
    {"nodes", "vertices 0, 1, ..."},
    {"switches", "vertices after the nodes; default 0: the nodes themselves are joined"},
    {"edges", "[vertex, vertex] or [vertex, vertex, cables] of each link"},
};

constexpr Kind kKinds[] = {
    {"torus", "grid of any dimension whose ends meet", kGrid, make_torus},
    {"mesh", "grid of any dimension", kGrid, make_mesh},
    {"hypercube", "binary cube, also SGI's enhanced hypercube", kHypercube, make_hypercube},
    {"fat-tree", "tree of any height, width and taper (XGFT, PGFT)", kFatTree, make_fat_tree},
    {"k-ary-n-tree", "fat tree of k^n nodes", kKAryNTree, make_k_ary_n_tree},
    {"three-level-fat-tree", "fat tree of switches with k ports, k^3/4 nodes", kThreeLevelFatTree,
     make_three_level_fat_tree},
    {"hierarchy", "levels with given distances", kHierarchy, make_hierarchy},
    {"all-to-all", "every switch joined to every other", kAllToAll, make_all_to_all},
    {"hyperx", "grid of switches, all-to-all along every row", kHyperX, make_hyperx},
    {"dragonfly", "groups of switches, all-to-all within and between groups", kDragonfly, make_dragonfly},
    {"graph", "any network, given by its links; shortest ways, spread by destination", kGraph, make_graph},
};

}  // namespace

std::span<const Kind> kinds() { return kKinds; }

std::unique_ptr<Topology> make_topology(std::string_view kind, std::map<std::string, Value, std::less<>> values) {
    const Kind& row = row_named(kKinds, kind, "topology");
    for (const auto& [key, value] : values) {
        if (std::ranges::find(row.parameters, key, &ParameterAbout::name) == row.parameters.end()) {
            throw InvalidInput(std::string(kind) + " has no parameter '" + key +
                               "'; it has: " + names_of(row.parameters));
        }
    }
    return row.make(Parameters(kind, std::move(values)));
}

}  // namespace waywiser::machine
