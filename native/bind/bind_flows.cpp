#include <nanobind/stl/string.h>

#include <vector>

#include "base/error.hpp"
#include "bind/arrays.hpp"
#include "bind/rooms.hpp"
#include "simulate/flows.hpp"
#include "simulate/max_min.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::simulate;

namespace waywiser::bind {
namespace {

using Nodes = Column<std::uint32_t>;
using Numbers = Column<double>;

std::vector<Transmission> messages_of(const Nodes& from, const Nodes& to, const Numbers& start_ns,
                                      const Numbers& bytes) {
    const std::size_t count = from.shape(0);
    require(to.shape(0) == count && start_ns.shape(0) == count && bytes.shape(0) == count,
            "from_node, to_node, start_ns and bytes require arrays of the same length");
    std::vector<Transmission> messages(count);
    for (std::size_t i = 0; i < count; ++i) {
        messages[i] = {
            .from = from.data()[i], .to = to.data()[i], .start_ns = start_ns.data()[i], .bytes = bytes.data()[i]};
    }
    return messages;
}

auto rates(const machine::Topology& topology, const Speeds& speeds, const Nodes& from, const Nodes& to) {
    require(to.shape(0) == from.shape(0), "from_node and to_node require arrays of the same length");
    Network network(topology, speeds);
    MaxMin flows(network.capacities());
    std::vector<double> flow_rates(from.shape(0));
    for (std::size_t i = 0; i < flow_rates.size(); ++i) {
        flows.add(network.links(network.route(from.data()[i], to.data()[i])));
    }
    (void)flows.settle();
    for (std::uint32_t i = 0; i < flow_rates.size(); ++i) flow_rates[i] = flows.rate(i);
    return numpy(std::move(flow_rates));
}

auto arrivals(const machine::Topology& topology, const Speeds& speeds, const Nodes& from, const Nodes& to,
              const Numbers& start_ns, const Numbers& bytes, double tolerance, std::uint64_t seed) {
    const auto messages = messages_of(from, to, start_ns, bytes);
    const nb::gil_scoped_release unlocked;
    Network network(topology, speeds);
    return arrivals_ns(network, messages, tolerance, seed);
}

}  // namespace

void bind_flows(nb::module_& module) {
    nb::class_<Speeds>(module, "Speeds", "Of a network's links.")
        .def(
            "__init__",
            [](Speeds* self, double link_bytes_per_ns, double nic_bytes_per_ns, double hop_ns) {
                new (self) Speeds{
                    .link_bytes_per_ns = link_bytes_per_ns, .nic_bytes_per_ns = nic_bytes_per_ns, .hop_ns = hop_ns};
            },
            "link_bytes_per_ns"_a, "nic_bytes_per_ns"_a = std::numeric_limits<double>::infinity(), "hop_ns"_a = 0.0);
    module.def("max_min_rates", &rates, "topology"_a, "speeds"_a, "from_node"_a, "to_node"_a,
               "Of flows that are all under way, in bytes/ns.");
    module.def(
        "flow_arrivals_ns",
        [](const machine::Topology& topology, const Speeds& speeds, const Nodes& from, const Nodes& to,
           const Numbers& start_ns, const Numbers& bytes, double tolerance, std::uint64_t seed) {
            return numpy(arrivals(topology, speeds, from, to, start_ns, bytes, tolerance, seed));
        },
        "topology"_a, "speeds"_a, "from_node"_a, "to_node"_a, "start_ns"_a, "bytes"_a, "tolerance"_a = 0.0,
        "seed"_a = 0, "When the last byte of each message arrives: max-min fair flows, event by event.");
}

}  // namespace waywiser::bind
