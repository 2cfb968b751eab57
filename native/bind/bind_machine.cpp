#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <tuple>

#include "base/error.hpp"
#include "bind/arrays.hpp"
#include "bind/records.hpp"
#include "bind/rooms.hpp"
#include "machine/failures.hpp"
#include "machine/table.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::machine;

namespace waywiser::bind {
namespace {

template <auto kMember>
auto links_as_array(const Topology& topology) {
    using T = std::remove_cvref_t<decltype(std::declval<Link>().*kMember)>;
    std::vector<T> values;
    values.reserve(topology.links().size());
    for (const Link& link : topology.links()) values.push_back(link.*kMember);
    return numpy(std::move(values));
}

using Nodes = Column<std::uint32_t>;

void check_node(const Topology& topology, std::uint32_t node) {
    if (node < topology.node_count()) return;
    throw InvalidInput("node " + std::to_string(node) + " is not in the network, whose nodes are 0 to " +
                       std::to_string(topology.node_count() - 1));
}

auto hops_of_pairs(const Topology& topology, const Nodes& a, const Nodes& b) {
    require(a.shape(0) == b.shape(0), "hops requires two arrays of the same length");
    std::vector<std::uint32_t> hops(a.shape(0));
    for (std::size_t i = 0; i < hops.size(); ++i) {
        check_node(topology, a.data()[i]);
        check_node(topology, b.data()[i]);
        hops[i] = topology.hops(a.data()[i], b.data()[i]);
    }
    return numpy(std::move(hops));
}

auto tuples(const std::vector<Share>& shares) {
    std::vector<std::tuple<std::uint32_t, double>> pairs;
    pairs.reserve(shares.size());
    for (const Share& share : shares) pairs.emplace_back(share.link, share.part);
    return pairs;
}

auto route(const Topology& topology, std::uint32_t a, std::uint32_t b) {
    check_node(topology, a);
    check_node(topology, b);
    std::vector<Share> shares;
    topology.route(a, b, shares);
    return tuples(shares);
}

auto detours(const Topology& topology, std::uint32_t a, std::uint32_t b) {
    check_node(topology, a);
    check_node(topology, b);
    std::vector<decltype(tuples({}))> routes(topology.detour_count(a, b));
    for (std::uint64_t number = 0; number < routes.size(); ++number) {
        std::vector<Share> shares;
        topology.detour(a, b, number, shares);
        routes[number] = tuples(shares);
    }
    return routes;
}

/// Load of each link if every pair of nodes exchanges one message.
auto loads(const Topology& topology, const Nodes& a, const Nodes& b) {
    require(a.shape(0) == b.shape(0), "loads requires two arrays of the same length");
    std::vector<double> link_loads(topology.links().size());
    std::vector<Share> shares;
    for (std::size_t i = 0; i < a.shape(0); ++i) {
        check_node(topology, a.data()[i]);
        check_node(topology, b.data()[i]);
        shares.clear();
        topology.route(a.data()[i], b.data()[i], shares);
        for (const Share& share : shares) link_loads[share.link] += share.part;
    }
    return numpy(std::move(link_loads));
}

/// True if the value consists of whole numbers and lists of them; truth values and fractions do not count.
bool is_whole(nb::handle object) {
    if (!nb::isinstance<nb::list>(object) && !nb::isinstance<nb::tuple>(object))
        return PyLong_CheckExact(object.ptr()) != 0;
    for (const nb::handle element : object) {
        if (!is_whole(element)) return false;
    }
    return true;
}

template <class T>
bool reads(nb::handle object, Value& value) {
    T converted{};
    if (!nb::try_cast(object, converted)) return false;
    value = std::move(converted);
    return true;
}

Value value_of(nb::handle object) {
    Value value;
    if (is_whole(object)) {
        (void)(reads<std::int64_t>(object, value) || reads<std::vector<std::int64_t>>(object, value) ||
               reads<std::vector<std::vector<std::int64_t>>>(object, value));
    } else {
        (void)reads<std::string>(object, value);
    }
    return value;
}

std::unique_ptr<Topology> make(std::string_view kind, const nb::typed<nb::dict, nb::str, nb::any>& parameters,
                               const std::vector<std::vector<std::uint32_t>>& failed) {
    std::map<std::string, Value, std::less<>> values;
    for (const auto& [key, object] : parameters) values[nb::cast<std::string>(key)] = value_of(object);
    std::vector<Failure> failures;
    for (const auto& failure : failed) {
        require(failure.size() == 2 || failure.size() == 3,
                "failed: expected lists of two vertices, or of two and cables");
        failures.push_back({.a = failure[0], .b = failure[1], .cables = failure.size() == 3 ? failure[2] : 0});
    }
    const nb::gil_scoped_release unlocked;
    return without(make_topology(kind, std::move(values)), failures);
}

auto groupings(const Topology& topology) {
    std::vector<nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>> arrays;
    for (Grouping& grouping : topology.groupings()) arrays.push_back(numpy(std::move(grouping.group_of_node)));
    return arrays;
}

auto topology_kinds() {
    std::vector<
        std::tuple<std::string_view, std::string_view, std::vector<std::tuple<std::string_view, std::string_view>>>>
        rows;
    for (const Kind& kind : kinds()) {
        auto& parameters = std::get<2>(rows.emplace_back(kind.name, kind.about, 0));
        for (const ParameterAbout& parameter : kind.parameters)
            parameters.emplace_back(parameter.name, parameter.about);
    }
    return rows;
}

}  // namespace

void bind_machine(nb::module_& module) {
    bind_record<Properties>(module, "TopologyProperties", "What a network is, in numbers.",
                            WAYWISER_MEMBERS(Properties, host_cables, network_cables))
        .def_ro("diameter", &Properties::diameter, "The most hops between two nodes.")
        .def_ro("mean_hops", &Properties::mean_hops, "Between two nodes drawn independently.")
        .def_ro("bisection", &Properties::bisection, "Cables between halves; None where there is no formula.");

    nb::class_<Topology>(module, "Topology", "An interconnect. Vertices: first the nodes, then the switches.")
        .def_prop_ro("kind", &Topology::kind)
        .def_prop_ro("nodes", &Topology::node_count)
        .def_prop_ro("switches", &Topology::switch_count)
        .def_prop_ro("link_from", &links_as_array<&Link::from>, nb::rv_policy::move, "Each link is one direction.")
        .def_prop_ro("link_to", &links_as_array<&Link::to>, nb::rv_policy::move)
        .def_prop_ro("link_cables", &links_as_array<&Link::cables>, nb::rv_policy::move)
        .def_prop_ro("properties", &Topology::properties)
        .def_prop_ro("groupings", &groupings, nb::rv_policy::move,
                     "The group of each node, from the widest groups to the narrowest.")
        .def_prop_ro("grid_lengths", [](const Topology& self) { return self.grid().lengths; })
        .def_prop_ro("grid_wraps", [](const Topology& self) { return self.grid().wraps; })
        .def("hops", &hops_of_pairs, "a"_a, "b"_a, "Of pairs of nodes, given as two uint32 arrays.")
        .def("loads", &loads, "a"_a, "b"_a, "Of each link, for one message between each pair of nodes.")
        .def("route", &route, "a"_a, "b"_a, "Links from node a to node b, with the share that each carries.")
        .def("detours", &detours, "a"_a, "b"_a,
             "Links of each detour that a message may take by load; none unless routing is adaptive.");

    module.def("make_topology", &make, "kind"_a, "parameters"_a, "failed"_a = std::vector<std::vector<std::uint32_t>>{},
               "A kind of topology, without failed links: [vertex, vertex] or [vertex, vertex, cables] each.");
    module.def("topology_kinds", &topology_kinds, "Name, what it is, and the parameters of each, with what they are.");
}

}  // namespace waywiser::bind
