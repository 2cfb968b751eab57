#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string_view>
#include <tuple>
#include <vector>

#include "bind/rooms.hpp"
#include "collectives/schedule.hpp"

namespace nb = nanobind;
using namespace waywiser::collectives;

namespace waywiser::bind {
namespace {

std::string_view name_of(Collective collective) {
    switch (collective) {
        case Collective::barrier: return "barrier";
        case Collective::bcast: return "bcast";
        case Collective::gather: return "gather";
        case Collective::scatter: return "scatter";
        case Collective::allgather: return "allgather";
        case Collective::alltoall: return "alltoall";
        case Collective::reduce: return "reduce";
        case Collective::allreduce: return "allreduce";
        case Collective::reduce_scatter: return "reduce_scatter";
        case Collective::scan: return "scan";
    }
    return "";
}

}  // namespace

void bind_collectives(nb::module_& module) {
    module.def(
        "collective_algorithms",
        [] {
            std::vector<std::tuple<std::string_view, std::string_view, std::string_view>> found;
            for (const Algorithm& one : algorithms()) found.emplace_back(name_of(one.collective), one.name, one.source);
            return found;
        },
        "Of each algorithm its collective, its name and its source.");
}

}  // namespace waywiser::bind
