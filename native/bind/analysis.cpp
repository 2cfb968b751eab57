/// The Python module waywiser.native._analysis: the rooms that answer questions from profiles and traces. Python code
/// finds its names in _native, whose exceptions are also those of this module.
#include <nanobind/nanobind.h>

#include "bind/rooms.hpp"

namespace nb = nanobind;

NB_MODULE(_analysis, module) {
    module.doc() = "Native rooms of Waywiser that analyse, predict and place.";
    nb::module_::import_("waywiser.native._native");
    waywiser::bind::bind_collectives(module);
    waywiser::bind::bind_timeline(module);
    waywiser::bind::bind_waits(module);
    waywiser::bind::bind_trace_writer(module);
    waywiser::bind::bind_trace_time(module);
    waywiser::bind::bind_exchange(module);
    waywiser::bind::bind_machine(module);
    waywiser::bind::bind_place(module);
    waywiser::bind::bind_flows(module);
    waywiser::bind::bind_simulate(module);
    waywiser::bind::bind_extrapolate(module);
}
