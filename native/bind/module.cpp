/// The Python module waywiser.native._native: one thin binding file per room.
#include <nanobind/nanobind.h>

#include "base/error.hpp"
#include "bind/rooms.hpp"

namespace nb = nanobind;

NB_MODULE(_native, module) {
    module.doc() = "Native rooms of Waywiser.";
    nb::exception<waywiser::Error> error(module, "NativeError");
    const nb::exception<waywiser::InvalidInput> invalid_input(module, "InvalidInput", error.ptr());
    waywiser::bind::bind_trace(module);
    waywiser::bind::bind_totals(module);
    waywiser::bind::bind_collectives(module);
    waywiser::bind::bind_explain(module);
    waywiser::bind::bind_timeline(module);
    waywiser::bind::bind_waits(module);
    waywiser::bind::bind_trace_writer(module);
    waywiser::bind::bind_trace_file(module);
    waywiser::bind::bind_trace_time(module);
    waywiser::bind::bind_exchange(module);
    waywiser::bind::bind_machine(module);
    waywiser::bind::bind_place(module);
    waywiser::bind::bind_flows(module);
    waywiser::bind::bind_simulate(module);
    waywiser::bind::bind_extrapolate(module);
}
