#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string_view>

#include "bind/records.hpp"
#include "bind/rooms.hpp"
#include "explain/waits.hpp"
#include "explain/window_profile.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::explain;

namespace waywiser::bind {
namespace {

/// An analysis together with the trace's tables, to which its places refer.
struct NamedAnalysis : WaitAnalysis {
    std::vector<std::string> functions;
    std::vector<trace::CallSite> call_sites;
};

NamedAnalysis analyse(const std::string& path, std::uint64_t begin_ns, std::uint64_t end_ns, Progress* progress) {
    trace::TraceFile trace(path);
    if (trace.job().hosts.size() > 1) trace.set_clocks(estimate_clocks(trace));
    return {analyse_waits(trace, {.begin_ns = begin_ns, .end_ns = end_ns}, progress), trace.job().functions,
            trace.job().call_sites};
}

trace::Profile profile_of_trace(const std::string& path, std::uint64_t begin_ns, std::uint64_t end_ns,
                                const trace::Profile& whole) {
    trace::TraceFile trace(path);
    if (trace.job().hosts.size() > 1) trace.set_clocks(estimate_clocks(trace));
    return profile_of(trace, {.begin_ns = begin_ns, .end_ns = end_ns}, whole);
}

/// Reads all calls: the minimum cost of any analysis.
std::uint64_t count_calls(const std::string& path) {
    const trace::TraceFile trace(path);
    std::uint64_t calls = 0;
    for (std::size_t stream = 0; stream < trace.job().streams.size(); ++stream) {
        for (trace::Cursor cursor = trace.cursor(stream); cursor.next();) calls += cursor.call().times;
    }
    return calls;
}

}  // namespace

void bind_waits(nb::module_& module) {
    module.def(
        "wait_kinds", [] { return std::vector<std::string>(kEnumerators<Wait>.begin(), kEnumerators<Wait>.end()); },
        "Names of the kinds of waits, in their order.");
    module.attr("BEFORE_CALLS") = kBeforeCalls;

    bind_record<Place>(module, "Place", "A call in the program, by indices into the trace's tables.",
                       WAYWISER_MEMBERS(Place, function))
        .def_ro("site", &Place::site, "plus 1; 0: not known");
    with_members(
        nb::class_<Cause>(module, "Cause", "Time that ranks waited in one call because of what one rank did elsewhere.")
            .def_prop_ro("wait", [](const Cause& self) { return std::string(name_of(self.wait)); }),
        WAYWISER_MEMBERS(Cause, waiting, causing_rank, computing, before, after, ns, calls, direct_ns,
                         most_waiting_rank));
    bind_record<RankWaits>(module, "RankWaits", "Of one rank; waits in the order of wait_kinds().",
                           WAYWISER_MEMBERS(RankWaits, rank, wall_ns, mpi_ns, wait_ns, caused_ns, critical_ns));
    bind_record<WaitingPair>(module, "WaitingPair", "Time that one rank waited for another one, directly.",
                             WAYWISER_MEMBERS(WaitingPair, waiting, awaited, ns, calls));
    bind_record<CriticalPlace>(module, "CriticalPlace",
                               "A segment of the critical path in one place of one rank, summed.",
                               WAYWISER_MEMBERS(CriticalPlace, rank, computing, place, ns));
    nb::class_<Progress>(module, "Progress",
                         "The progress of a piece of work, in steps; total is 0 before it is known.")
        .def(nb::init<>())
        .def_prop_ro("done", [](const Progress& self) { return self.done.load(); })
        .def_prop_ro("total", [](const Progress& self) { return self.total.load(); });
    bind_record<WaitsOverTime>(module, "WaitsOverTime",
                               "Waiting of all ranks in bins; kinds in the order of wait_kinds().",
                               WAYWISER_MEMBERS(WaitsOverTime, begin_ns, bin_ns, ns));
    bind_record<NamedAnalysis>(
        module, "WaitAnalysis", "What each rank waited for, who caused it, the critical path.",
        WAYWISER_MEMBERS(NamedAnalysis, ranks, causes, pairs, over_time, critical_path, critical_path_ns,
                         unmatched_sends, unmatched_receives, remarks, functions, call_sites));
    module.def("analyse_waits", &analyse, "path"_a, "begin_ns"_a = 0, "end_ns"_a = TimeWindow{}.end_ns,
               "progress"_a.none() = nb::none(), nb::call_guard<nb::gil_scoped_release>(),
               "Reads the trace file and says what its ranks waited for, in calls that begin in that time.");
    module.def("profile_of_trace", &profile_of_trace, "path"_a, "begin_ns"_a, "end_ns"_a, "whole"_a,
               nb::call_guard<nb::gil_scoped_release>(),
               "The profile of calls that begin in that time; of what the trace does not say, the whole run's.");
    module.def("count_calls", &count_calls, "path"_a, nb::call_guard<nb::gil_scoped_release>(),
               "Reads the trace file once, call by call, and counts them.");
}

}  // namespace waywiser::bind
