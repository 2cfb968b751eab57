#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bind/records.hpp"
#include "bind/rooms.hpp"
#include "bind/traffic.hpp"
#include "explain/decompose.hpp"
#include "explain/waiting_estimate.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::explain;

namespace waywiser::bind {
namespace {

/// A numpy array of a member's values, whose memory lives as long as the array.
template <auto kMember, class Owner>
auto array_of(nb::handle self) {
    Owner& owner = nb::cast<Owner&>(self);
    auto& values = owner.*kMember;
    using Value = std::remove_reference_t<decltype(values)>::value_type;
    return nb::ndarray<nb::numpy, const Value, nb::ndim<1>>(values.data(), {values.size()}, self);
}

/// The pairs that exchanged data, in the form of `trace::point_to_point`.
trace::Traffic traffic_of(const Pairs& pairs) {
    trace::Traffic traffic;
    for (std::size_t i = 0; i < pairs.source.size(); ++i) {
        const auto source = static_cast<std::uint64_t>(pairs.source[i]);
        const auto destination = static_cast<std::uint64_t>(pairs.destination[i]);
        if (pairs.bytes[i] > 0) traffic.bytes.push_back({source, destination, pairs.bytes[i]});
        if (pairs.messages[i] > 0) traffic.messages.push_back({source, destination, pairs.messages[i]});
    }
    return traffic;
}

}  // namespace

void bind_explain(nb::module_& module) {
    nb::class_<Pairs>(module, "Pairs", "Traffic between pairs of world ranks, as arrays of the same length.")
        .def_prop_ro("source", &array_of<&Pairs::source, Pairs>)
        .def_prop_ro("destination", &array_of<&Pairs::destination, Pairs>)
        .def_prop_ro("bytes", &array_of<&Pairs::bytes, Pairs>)
        .def_prop_ro("messages", &array_of<&Pairs::messages, Pairs>)
        .def_prop_ro(
            "traffic", [](const Pairs& self) { return arrays(traffic_of(self)); },
            "Bytes and messages: source, destination, amount; only what is not 0.")
        .def_ro("complete", &Pairs::complete)
        .def_ro("remarks", &Pairs::remarks);

    bind_record<BlockMatrix>(module, "BlockMatrix", "Traffic between groups of consecutive world ranks.",
                             WAYWISER_MEMBERS(BlockMatrix, blocks))
        .def_prop_ro("bytes", &array_of<&BlockMatrix::bytes, BlockMatrix>, "Row by row, a row for each source.")
        .def_prop_ro("messages", &array_of<&BlockMatrix::messages, BlockMatrix>, "Likewise.")
        .def_ro("remarks", &BlockMatrix::remarks);

    module.def("decompose", &decompose, "profile"_a, "most_pairs"_a = kMostPairs,
               nb::call_guard<nb::gil_scoped_release>(),
               "Collectives as traffic between pairs of ranks, by their logical pattern.");
    module.def("decompose_in_blocks", &decompose_in_blocks, "profile"_a, "blocks"_a,
               nb::call_guard<nb::gil_scoped_release>(),
               "The same in groups of ranks, for any number of ranks; at most 512 groups.");

    nb::class_<WaitingEstimate>(module, "WaitingEstimate", "Waiting in collectives [ns].")
        .def_ro("wait_ns", &WaitingEstimate::wait_ns, "Of each rank of the profile.")
        .def_ro("collective_ns", &WaitingEstimate::collective_ns);
    module.def("estimate_waiting", &estimate_waiting, "profile"_a, nb::call_guard<nb::gil_scoped_release>(),
               "Waiting in collectives, from a profile alone.");
}

}  // namespace waywiser::bind
