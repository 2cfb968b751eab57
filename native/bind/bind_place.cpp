#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "bind/arrays.hpp"
#include "bind/records.hpp"
#include "bind/rooms.hpp"
#include "place/mapper.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::place;

namespace waywiser::bind {
namespace {

void make_pattern(Pattern* self, std::uint32_t ranks, const Column<std::uint32_t>& from,
                  const Column<std::uint32_t>& to, const Column<std::uint64_t>& bytes,
                  const Column<std::uint64_t>& messages) {
    const std::size_t count = from.size();
    require(to.size() == count && bytes.size() == count && messages.size() == count,
            "a pattern requires four arrays of the same length");
    std::vector<Pattern::Entry> entries(count);
    for (std::size_t i = 0; i < count; ++i) {
        require(from.data()[i] < ranks && to.data()[i] < ranks, "a pattern names a rank that there is not");
        entries[i] = {from.data()[i], to.data()[i], bytes.data()[i], messages.data()[i]};
    }
    new (self) Pattern(ranks, entries);
}

void make_slots(Slots* self, const machine::Topology& topology, const Column<std::uint32_t>& node,
                const Column<std::uint32_t>& position,
                const std::vector<std::pair<std::uint32_t, std::uint32_t>>& levels) {
    require(node.size() == position.size(), "slots require two arrays of the same length");
    new (self) Slots{.topology = &topology,
                     .node = {node.data(), node.data() + node.size()},
                     .position = {position.data(), position.data() + position.size()},
                     .levels = {}};
    for (const std::uint32_t slot_node : self->node) {
        require(slot_node < topology.node_count(), "a slot is on a node that the topology has not");
    }
    for (const auto& [slots, distance] : levels) self->levels.push_back({.slots = slots, .distance = distance});
}

Cost cost_of(const Pattern& pattern, const Slots& slots, const Column<std::uint32_t>& order, const TimeModel& model) {
    require(order.size() == pattern.ranks(), "an order has a slot for each rank");
    for (std::size_t i = 0; i < order.size(); ++i) {
        require(order.data()[i] < slots.count(), "an order names a slot that there is not");
    }
    const nb::gil_scoped_release released;
    return cost(pattern, slots, Order(order.data(), order.data() + order.size()), model);
}

Placement placed(const Pattern& pattern, const Slots& slots, Objective objective, const TimeModel& model,
                 std::uint64_t seed, unsigned threads, double seconds, const std::vector<std::string>& methods,
                 Progress* progress) {
    const nb::gil_scoped_release released;
    return place::place(pattern, slots,
                        {.objective = objective,
                         .model = model,
                         .seed = seed,
                         .threads = threads,
                         .seconds = seconds,
                         .methods = methods,
                         .progress = progress});
}

}  // namespace

void bind_place(nb::module_& module) {
    bind_enumeration<Objective>(module, "Objective", "What a placement makes small.");

    with_open_members(nb::class_<TimeModel>(module, "TimeModel").def(nb::init<>()),
                      WAYWISER_MEMBERS(TimeModel, seconds_per_message, seconds_per_message_inside, seconds_per_hop,
                                       seconds_per_byte));

    nb::class_<Pattern>(module, "Pattern", "A sparse communication matrix.")
        .def("__init__", &make_pattern, "ranks"_a, "sources"_a, "targets"_a, "bytes"_a, "messages"_a)
        .def_prop_ro("ranks", &Pattern::ranks);

    nb::class_<Slots>(module, "Slots", "Where ranks can go; by default rank r has slot r.")
        .def("__init__", &make_slots, "topology"_a, "node"_a, "position"_a,
             "levels"_a = std::vector<std::pair<std::uint32_t, std::uint32_t>>{}, nb::keep_alive<1, 2>())
        .def_prop_ro("count", &Slots::count);

    bind_record<Cost>(
        module, "PlacementCost", "What a placement costs, by all objectives.",
        WAYWISER_MEMBERS(Cost, hop_bytes, busiest_link_bytes, off_node_bytes, seconds, seconds_at_most, nodes));

    nb::class_<Placement>(module, "Placement")
        .def_prop_ro(
            "order", [](const Placement& self) { return numpy(self.order); }, nb::rv_policy::automatic)
        .def_ro("cost", &Placement::cost)
        .def_ro("default_cost", &Placement::default_cost)
        .def_ro("method", &Placement::method);

    module.def("placement_cost", &cost_of, "pattern"_a, "slots"_a, "order"_a, "model"_a = TimeModel{});
    module.def("place", &placed, "pattern"_a, "slots"_a, "objective"_a = Objective::hop_bytes, "model"_a = TimeModel{},
               "seed"_a = 1, "threads"_a = 1, "seconds"_a = 0.0, "methods"_a = std::vector<std::string>{},
               "progress"_a.none() = nb::none());
    module.def(
        "placement_methods",
        [] {
            std::vector<std::tuple<std::string_view, std::string_view, bool>> rows;
            for (const Method& method : methods()) rows.emplace_back(method.name, method.about, method.on_request);
            return rows;
        },
        "Name of each method, what it does, and whether it is only tried where it is named.");
}

}  // namespace waywiser::bind
