#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/records.hpp"
#include "bind/rooms.hpp"
#include "explain/waits.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::explain;
using waywiser::trace::TraceFile;

namespace waywiser::bind {

void bind_trace_time(nb::module_& module) {
    bind_record<Iterations>(module, "Iterations", "Iterations that the program's call sequence shows.",
                            WAYWISER_MEMBERS(Iterations, rank))
        .def_ro("events", &Iterations::events, "Calls of one iteration; 0: none found.")
        .def_ro("first", &Iterations::first)
        .def_ro("begin_ns", &Iterations::begin_ns, "Of each, and the end of the last.");
    module.def(
        "estimate_clocks", [](const std::string& path) { return estimate_clocks(TraceFile(path)); }, "path"_a,
        nb::call_guard<nb::gil_scoped_release>(), "Clocks of the hosts of a trace file against the first one's.");
    module.def(
        "find_iterations", [](const std::string& path) { return find_iterations(TraceFile(path)); }, "path"_a,
        nb::call_guard<nb::gil_scoped_release>(), "Iterations of the program's main loop.");
}

}  // namespace waywiser::bind
