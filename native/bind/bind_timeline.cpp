#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/arrays.hpp"
#include "bind/rooms.hpp"
#include "explain/timeline.hpp"
#include "explain/waits.hpp"

namespace nb = nanobind;
using namespace waywiser::explain;
using waywiser::trace::TraceFile;
using waywiser::trace::TraceObject;

namespace waywiser::bind {
namespace {

/// A timeline with the names that its numbers refer to.
struct NamedTimeline {
    Timeline timeline;
    std::pair<std::uint64_t, std::uint64_t> times;  ///< of the whole trace
    std::vector<std::string> functions;
    std::vector<std::pair<std::string, std::string>> sites;    ///< place; module and address
    std::vector<std::pair<std::string, std::string>> objects;  ///< kind and name
    std::vector<std::pair<std::int64_t, std::uint32_t>> streams;
};

std::string address_text(std::uint64_t address) {
    std::string digits;
    for (; address != 0; address /= 16) digits.insert(digits.begin(), "0123456789abcdef"[address % 16]);
    return "0x" + (digits.empty() ? "0" : digits);
}

const char* kind_name(TraceObject::Kind kind) {
    if (kind == TraceObject::Kind::window) return "window";
    return kind == TraceObject::Kind::file ? "file" : "communicator";
}

std::pair<std::uint64_t, std::uint64_t> times_of(const waywiser::trace::TraceJob& job) {
    std::pair times(~std::uint64_t{0}, std::uint64_t{0});
    for (const auto& stream : job.streams) {
        times.first = std::min(times.first, stream.begin_ns);
        times.second = std::max(times.second, stream.end_ns);
    }
    return {std::min(times.first, times.second), times.second};
}

NamedTimeline read_timeline(const std::string& path, const TimelineLimits& limits) {
    TraceFile trace(path);
    if (trace.job().hosts.size() > 1) trace.set_clocks(estimate_clocks(trace));
    const auto& job = trace.job();
    NamedTimeline made{.timeline = timeline(trace, limits), .times = times_of(job), .functions = job.functions};
    for (const auto& site : job.call_sites)
        made.sites.emplace_back(site.place, site.module + "+" + address_text(site.address));
    for (const auto& object : job.objects) made.objects.emplace_back(kind_name(object.kind), object.name);
    for (const auto& stream : job.streams) made.streams.emplace_back(stream.rank, stream.thread);
    return made;
}

using Columns = nb::typed<nb::dict, nb::str, nb::any>;

/// What `value` gives of each row.
template <class Row, class Get>
auto column(const std::vector<Row>& rows, Get value) {
    std::vector<std::int64_t> values(rows.size());
    std::ranges::transform(rows, values.begin(), [&](const Row& row) { return static_cast<std::int64_t>(value(row)); });
    return numpy(std::move(values));
}

nb::dict columns_of(const std::vector<TimelineCall>& calls) {
    nb::dict columns;
    const auto add = [&](const char* name, auto member) {
        columns[name] = column(calls, [member](const TimelineCall& call) { return call.*member; });
    };
    add("stream", &TimelineCall::stream);
    add("kind", &TimelineCall::kind);
    add("function", &TimelineCall::function);
    add("site", &TimelineCall::site);
    add("object", &TimelineCall::object);
    add("peer", &TimelineCall::peer);
    add("source", &TimelineCall::source);
    add("tag", &TimelineCall::tag);
    add("bytes", &TimelineCall::bytes);
    add("posted", &TimelineCall::posted);
    add("requests", &TimelineCall::requests);
    add("begin_ns", &TimelineCall::begin_ns);
    add("end_ns", &TimelineCall::end_ns);
    add("times", &TimelineCall::times);
    add("idle_ns", &TimelineCall::idle_ns);
    return columns;
}

nb::dict columns_of(const std::vector<TimelineArrow>& arrows) {
    nb::dict columns;
    const auto add = [&](const char* name, auto member) {
        columns[name] = column(arrows, [member](const TimelineArrow& arrow) { return arrow.*member; });
    };
    add("from", &TimelineArrow::from);
    add("to", &TimelineArrow::to);
    add("sent_ns", &TimelineArrow::sent_ns);
    add("received_ns", &TimelineArrow::received_ns);
    add("bytes", &TimelineArrow::bytes);
    return columns;
}

}  // namespace

void bind_timeline(nb::module_& module) {
    nb::class_<TimelineGrid>(module, "TimelineGrid", "Time by kind in rows of streams and bins of time.")
        .def_ro("together", &TimelineGrid::together)
        .def_ro("bin_ns", &TimelineGrid::bin_ns)
        .def_prop_ro(
            "ns",
            [](nb::handle self) {
                auto& grid = nb::cast<TimelineGrid&>(self);
                return nb::ndarray<nb::numpy, const std::uint64_t, nb::ndim<3>>(grid.ns.data(),
                                                                                {grid.rows, grid.bins, kKinds}, self);
            },
            "Shape (rows, bins, kinds).");

    nb::class_<NamedTimeline>(module, "Timeline", "A trace as a page can show it.")
        .def_prop_ro("begin_ns", [](const NamedTimeline& self) { return self.timeline.begin_ns; })
        .def_prop_ro("end_ns", [](const NamedTimeline& self) { return self.timeline.end_ns; })
        .def_prop_ro("all_calls", [](const NamedTimeline& self) { return self.timeline.all_calls; })
        .def_prop_ro("longest_merged_ns", [](const NamedTimeline& self) { return self.timeline.longest_merged_ns; })
        .def_prop_ro("left_out_arrows", [](const NamedTimeline& self) { return self.timeline.left_out_arrows; })
        .def_prop_ro("grids", [](const NamedTimeline& self) { return self.timeline.grids; })
        .def_prop_ro("calls", [](const NamedTimeline& self) { return Columns(columns_of(self.timeline.calls)); })
        .def_prop_ro("arrows", [](const NamedTimeline& self) { return Columns(columns_of(self.timeline.arrows)); })
        .def_prop_ro("trace_begin_ns", [](const NamedTimeline& self) { return self.times.first; })
        .def_prop_ro("trace_end_ns", [](const NamedTimeline& self) { return self.times.second; })
        .def_ro("functions", &NamedTimeline::functions)
        .def_ro("sites", &NamedTimeline::sites, "Of each its place in the sources, and its address.")
        .def_ro("objects", &NamedTimeline::objects, "Of each its kind and its name.")
        .def_ro("streams", &NamedTimeline::streams, "Of each its rank and its thread.");

    module.def(
        "trace_times", [](const std::string& path) { return times_of(TraceFile(path).job()); }, nb::arg("path"),
        "Begin and end of a trace file.");
    module.def(
        "read_timeline",
        [](const std::string& path, std::uint64_t begin_ns, std::uint64_t end_ns, std::size_t calls) {
            return read_timeline(path, {.begin_ns = begin_ns, .end_ns = end_ns, .calls = calls});
        },
        nb::arg("path"), nb::arg("begin_ns"), nb::arg("end_ns"), nb::arg("calls"),
        nb::call_guard<nb::gil_scoped_release>(), "The part of a trace file from one time to another.");
}

}  // namespace waywiser::bind
