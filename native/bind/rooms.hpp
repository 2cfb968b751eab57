/// One function per bound directory; module.cpp calls all of them.
#pragma once

#include <nanobind/nanobind.h>

namespace waywiser::bind {

using Bind = void(nanobind::module_& module);
Bind bind_trace, bind_totals, bind_collectives, bind_explain, bind_extrapolate, bind_flows, bind_waits, bind_exchange,
    bind_trace_time, bind_trace_writer, bind_trace_file, bind_timeline, bind_machine, bind_place, bind_simulate;

}  // namespace waywiser::bind
