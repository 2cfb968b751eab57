#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind/arrays.hpp"
#include "bind/records.hpp"
#include "bind/rooms.hpp"
#include "explain/timeline.hpp"
#include "explain/waits.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::explain;
using waywiser::trace::TraceFile;
using waywiser::trace::TraceObject;

namespace waywiser::bind {
namespace {

/// A timeline with the names to which its numbers refer.
struct NamedTimeline {
    Timeline timeline;
    std::pair<std::uint64_t, std::uint64_t> times;  ///< bounds of the whole trace
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
    NamedTimeline result{.timeline = timeline(trace, limits), .times = times_of(job), .functions = job.functions};
    for (const auto& site : job.call_sites)
        result.sites.emplace_back(site.place, site.module + "+" + address_text(site.address));
    for (const auto& object : job.objects) result.objects.emplace_back(name_of(object.kind), object.name);
    for (const auto& stream : job.streams) result.streams.emplace_back(stream.rank, stream.thread);
    return result;
}

using Columns = nb::typed<nb::dict, nb::str, nb::any>;

/// Columns, one for each member of the rows.
template <class Row, class Members>
Columns columns_of(const std::vector<Row>& rows, const Members& members) {
    nb::dict columns;
    for_each_member(members, [&](const auto& member) {
        std::vector<std::int64_t> values(rows.size());
        std::ranges::transform(rows, values.begin(),
                               [&](const Row& row) { return static_cast<std::int64_t>(row.*member.value); });
        columns[member.name] = numpy(std::move(values));
    });
    return Columns(columns);
}

constexpr auto kCallColumns = WAYWISER_MEMBERS(TimelineCall, stream, kind, function, site, object, peer, source, tag,
                                               bytes, posted, requests, begin_ns, end_ns, times, idle_ns);
constexpr auto kArrowColumns = WAYWISER_MEMBERS(TimelineArrow, from, to, sent_ns, received_ns, bytes);

}  // namespace

void bind_timeline(nb::module_& module) {
    bind_record<TimelineGrid>(module, "TimelineGrid", "Time by kind in rows of streams and bins of time.",
                              WAYWISER_MEMBERS(TimelineGrid, together, bin_ns))
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
        .def_prop_ro("calls", [](const NamedTimeline& self) { return columns_of(self.timeline.calls, kCallColumns); })
        .def_prop_ro("arrows",
                     [](const NamedTimeline& self) { return columns_of(self.timeline.arrows, kArrowColumns); })
        .def_prop_ro("trace_begin_ns", [](const NamedTimeline& self) { return self.times.first; })
        .def_prop_ro("trace_end_ns", [](const NamedTimeline& self) { return self.times.second; })
        .def_ro("functions", &NamedTimeline::functions)
        .def_ro("sites", &NamedTimeline::sites, "Of each its place in the sources, and its address.")
        .def_ro("objects", &NamedTimeline::objects, "Of each its kind and its name.")
        .def_ro("streams", &NamedTimeline::streams, "Of each its rank and its thread.");

    module.def(
        "trace_times", [](const std::string& path) { return times_of(TraceFile(path).job()); }, "path"_a,
        "Begin and end of a trace file.");
    module.def(
        "read_timeline",
        [](const std::string& path, std::uint64_t begin_ns, std::uint64_t end_ns, std::size_t calls) {
            return read_timeline(path, {.begin_ns = begin_ns, .end_ns = end_ns, .calls = calls});
        },
        "path"_a, "begin_ns"_a, "end_ns"_a, "calls"_a, nb::call_guard<nb::gil_scoped_release>(),
        "The part of a trace file from one time to another.");
}

}  // namespace waywiser::bind
