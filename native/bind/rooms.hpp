/// One function per bound room; module.cpp calls them all.
#pragma once

#include <nanobind/nanobind.h>

namespace waywiser::bind {

void bind_trace(nanobind::module_& module);
void bind_totals(nanobind::module_& module);
void bind_collectives(nanobind::module_& module);
void bind_explain(nanobind::module_& module);
void bind_extrapolate(nanobind::module_& module);
void bind_flows(nanobind::module_& module);
void bind_waits(nanobind::module_& module);
void bind_exchange(nanobind::module_& module);
void bind_trace_time(nanobind::module_& module);
void bind_trace_writer(nanobind::module_& module);
void bind_trace_file(nanobind::module_& module);
void bind_timeline(nanobind::module_& module);
void bind_machine(nanobind::module_& module);
void bind_place(nanobind::module_& module);
void bind_simulate(nanobind::module_& module);

}  // namespace waywiser::bind
