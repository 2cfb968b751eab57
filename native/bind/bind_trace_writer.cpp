#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/parameters.hpp"
#include "bind/records.hpp"
#include "bind/rooms.hpp"
#include "trace/writing/trace_writer.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::trace;

namespace waywiser::bind {
namespace {

void bind_parameters(nb::module_& module) {
    bind_enumeration<Action>(module, "Action", "What a call does, as far as another rank can notice.");
    bind_record<Completion>(module, "Completion", "A request that a call has completed.")
        .def(nb::init<std::int32_t, std::int32_t, std::int32_t>(), "index"_a, "source"_a = kNone, "tag"_a = kNone);
    nb::class_<OwnedParameters> parameters(module, "TraceParameters", "All of a call but its time.");
    with_open_members(parameters.def(nb::init<>()), WAYWISER_MEMBERS(OwnedParameters, requests, completed, counts));
    for_each_member(kMembers<trace::Parameters>, [&]<class Value>(const Member<trace::Parameters, Value>& number) {
        parameters.def_prop_rw(
            number.name, [field = number.value](const OwnedParameters& self) { return self.values.*field; },
            [field = number.value](OwnedParameters& self, Value value) { self.values.*field = value; });
    });
}

}  // namespace

void bind_trace_writer(nb::module_& module) {
    bind_parameters(module);
    bind_enumeration<TraceObject::Kind>(module, "ObjectKind", "What ranks communicate over.");
    bind_open_record<TraceObject>(module, "TraceObject", "A communicator, a window or a file.");
    nb::class_<TraceWriter>(module, "TraceWriter", "Writes a trace, a stream of calls after another.")
        .def(nb::init<std::string>(), "path"_a)
        .def("function", &TraceWriter::function, "name"_a)
        .def(
            "call_site", [](TraceWriter& self, const CallSite& site) { return self.call_site(site); }, "site"_a)
        .def("object", &TraceWriter::object, "object"_a)
        .def(
            "add_rank",
            [](TraceWriter& self, std::int64_t rank, const std::string& host, std::vector<std::uint32_t> objects,
               bool killed) {
                TraceJob& job = self.job();
                std::uint32_t index = 0;
                while (index < job.hosts.size() && job.hosts[index].host != host) ++index;
                if (index == job.hosts.size()) job.hosts.push_back({.host = host});
                job.world_size = std::max(job.world_size, rank + 1);
                job.ranks.push_back({.rank = rank,
                                     .host = index,
                                     .objects = std::move(objects),
                                     .ending = killed ? Ending::killed : Ending::finalised});
            },
            "rank"_a, "host"_a, "objects"_a, "killed"_a = false,
            "Ranks come in their order; `objects` are by the rank's own numbers.")
        .def("begin_stream", &TraceWriter::begin_stream, "rank"_a, "thread"_a)
        .def(
            "append",
            [](TraceWriter& self, const OwnedParameters& parameters, std::uint64_t begin_ns, std::uint64_t end_ns,
               std::uint64_t times, std::uint64_t polling_ns) {
                self.append(self.signature(parameters.view()),
                            {begin_ns, end_ns, times, times == 1 ? end_ns - begin_ns : polling_ns});
            },
            "parameters"_a, "begin_ns"_a, "end_ns"_a, "times"_a = 1, "polling_ns"_a = 0)
        .def("finish", &TraceWriter::finish);
}

}  // namespace waywiser::bind
