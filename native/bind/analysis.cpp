/// The Python module waywiser.native._analysis: the bindings of analyses of profiles and traces. Python code finds its
/// names in _native, whose exceptions are also those of this module.
#include <nanobind/nanobind.h>

#include "bind/rooms.hpp"

namespace nb = nanobind;
using namespace waywiser::bind;

NB_MODULE(_analysis, module) {
    module.doc() = "Native rooms of Waywiser that analyse, predict and place.";
    nb::module_::import_("waywiser.native._native");
    for (Bind* const bind : {bind_collectives, bind_timeline, bind_waits, bind_trace_writer, bind_trace_time,
                             bind_exchange, bind_machine, bind_place, bind_flows, bind_simulate, bind_extrapolate})
        bind(module);
}
