#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string_view>

#include "bind/rooms.hpp"
#include "explain/waits.hpp"
#include "explain/window_profile.hpp"

namespace nb = nanobind;
using namespace waywiser::explain;

namespace waywiser::bind {
namespace {

constexpr std::array<std::string_view, kWaits> kWaitNames{
    "late_sender",   "late_receiver", "barrier",     "all_to_all", "late_root",  "early_root",    "last_ranks",
    "earlier_ranks", "rma",           "make_object", "late_post",  "early_wait", "late_complete", "lock"};

std::string name_of(Wait wait) { return std::string(kWaitNames.at(static_cast<std::size_t>(wait))); }

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

/// Goes through all calls: what any analysis has to take at least.
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
        "wait_kinds", [] { return std::vector<std::string>(kWaitNames.begin(), kWaitNames.end()); },
        "Names of the kinds of waits, in their order.");
    module.attr("BEFORE_CALLS") = kBeforeCalls;

    nb::class_<Place>(module, "Place", "A call in the program, by indices into the trace's tables.")
        .def_ro("function", &Place::function)
        .def_ro("site", &Place::site, "plus 1; 0: not known");
    nb::class_<Cause>(module, "Cause", "Time that ranks waited in one call because of what one rank did elsewhere.")
        .def_prop_ro("wait", [](const Cause& self) { return name_of(self.wait); })
        .def_ro("waiting", &Cause::waiting)
        .def_ro("causing_rank", &Cause::causing_rank)
        .def_ro("computing", &Cause::computing)
        .def_ro("before", &Cause::before)
        .def_ro("after", &Cause::after)
        .def_ro("ns", &Cause::ns)
        .def_ro("calls", &Cause::calls)
        .def_ro("direct_ns", &Cause::direct_ns)
        .def_ro("most_waiting_rank", &Cause::most_waiting_rank);
    nb::class_<RankWaits>(module, "RankWaits", "Of one rank; waits in the order of wait_kinds().")
        .def_ro("rank", &RankWaits::rank)
        .def_ro("wall_ns", &RankWaits::wall_ns)
        .def_ro("mpi_ns", &RankWaits::mpi_ns)
        .def_ro("wait_ns", &RankWaits::wait_ns)
        .def_ro("caused_ns", &RankWaits::caused_ns)
        .def_ro("critical_ns", &RankWaits::critical_ns);
    nb::class_<WaitingPair>(module, "WaitingPair", "Time that one rank waited for another one, directly.")
        .def_ro("waiting", &WaitingPair::waiting)
        .def_ro("awaited", &WaitingPair::awaited)
        .def_ro("ns", &WaitingPair::ns)
        .def_ro("calls", &WaitingPair::calls);
    nb::class_<CriticalPlace>(module, "CriticalPlace",
                              "A stretch of the critical path in one place of one rank, summed.")
        .def_ro("rank", &CriticalPlace::rank)
        .def_ro("computing", &CriticalPlace::computing)
        .def_ro("place", &CriticalPlace::place)
        .def_ro("ns", &CriticalPlace::ns);
    nb::class_<Progress>(module, "Progress", "How far an analysis is, in calls; total is 0 before it is known.")
        .def(nb::init<>())
        .def_prop_ro("done", [](const Progress& self) { return self.done.load(); })
        .def_prop_ro("total", [](const Progress& self) { return self.total.load(); });
    nb::class_<WaitsOverTime>(module, "WaitsOverTime",
                              "Waiting of all ranks in bins; kinds in the order of wait_kinds().")
        .def_ro("begin_ns", &WaitsOverTime::begin_ns)
        .def_ro("bin_ns", &WaitsOverTime::bin_ns)
        .def_ro("ns", &WaitsOverTime::ns);
    nb::class_<NamedAnalysis>(module, "WaitAnalysis", "What each rank waited for, who caused it, the critical path.")
        .def_ro("ranks", &NamedAnalysis::ranks)
        .def_ro("causes", &NamedAnalysis::causes)
        .def_ro("pairs", &NamedAnalysis::pairs)
        .def_ro("over_time", &NamedAnalysis::over_time)
        .def_ro("critical_path", &NamedAnalysis::critical_path)
        .def_ro("critical_path_ns", &NamedAnalysis::critical_path_ns)
        .def_ro("unmatched_sends", &NamedAnalysis::unmatched_sends)
        .def_ro("unmatched_receives", &NamedAnalysis::unmatched_receives)
        .def_ro("remarks", &NamedAnalysis::remarks)
        .def_ro("functions", &NamedAnalysis::functions)
        .def_ro("call_sites", &NamedAnalysis::call_sites);
    module.def("analyse_waits", &analyse, nb::arg("path"), nb::arg("begin_ns") = 0,
               nb::arg("end_ns") = TimeWindow{}.end_ns, nb::arg("progress").none() = nb::none(),
               nb::call_guard<nb::gil_scoped_release>(),
               "Reads the trace file and says what its ranks waited for, in calls that begin in that time.");
    module.def("profile_of_trace", &profile_of_trace, nb::arg("path"), nb::arg("begin_ns"), nb::arg("end_ns"),
               nb::arg("whole"), nb::call_guard<nb::gil_scoped_release>(),
               "The profile of calls that begin in that time; of what the trace does not say, the whole run's.");
    module.def("count_calls", &count_calls, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>(),
               "Reads the trace file once, call by call, and counts them.");
}

}  // namespace waywiser::bind
