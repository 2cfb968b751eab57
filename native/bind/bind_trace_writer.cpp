#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/parameters.hpp"
#include "bind/rooms.hpp"
#include "trace/writing/trace_writer.hpp"

namespace nb = nanobind;
using namespace waywiser::trace;

namespace waywiser::bind {
namespace {

template <class Value>
void bind_number(nb::class_<OwnedParameters>& parameters, const CallNumber<Value>& number) {
    parameters.def_prop_rw(
        number.name, [field = number.field](const OwnedParameters& self) { return self.values.*field; },
        [field = number.field](OwnedParameters& self, Value value) { self.values.*field = value; });
}

void bind_parameters(nb::module_& module) {
    nb::enum_<Action>(module, "Action", "What a call does, as far as another rank can notice.")
        .value("none", Action::none)
        .value("initialise", Action::initialise)
        .value("finalise", Action::finalise)
        .value("send", Action::send)
        .value("receive", Action::receive)
        .value("send_receive", Action::send_receive)
        .value("prepare_send", Action::prepare_send)
        .value("prepare_receive", Action::prepare_receive)
        .value("prepare_collective", Action::prepare_collective)
        .value("start", Action::start)
        .value("complete", Action::complete)
        .value("free_request", Action::free_request)
        .value("cancel", Action::cancel)
        .value("probe", Action::probe)
        .value("collective", Action::collective)
        .value("make_object", Action::make_object)
        .value("free_object", Action::free_object)
        .value("rma", Action::rma)
        .value("rma_sync", Action::rma_sync)
        .value("file", Action::file)
        .value("file_collective", Action::file_collective)
        .value("phase", Action::phase);
    nb::class_<Completion>(module, "Completion", "A request that a call has completed.")
        .def(nb::init<std::int32_t, std::int32_t, std::int32_t>(), nb::arg("index"), nb::arg("source") = kNone,
             nb::arg("tag") = kNone)
        .def_ro("index", &Completion::index)
        .def_ro("source", &Completion::source)
        .def_ro("tag", &Completion::tag);
    nb::class_<OwnedParameters> parameters(module, "TraceParameters", "All of a call but its time.");
    parameters.def(nb::init<>())
        .def_rw("requests", &OwnedParameters::requests)
        .def_rw("completed", &OwnedParameters::completed)
        .def_rw("counts", &OwnedParameters::counts);
    std::apply([&](const auto&... numbers) { (bind_number(parameters, numbers), ...); }, kCallNumbers);
}

}  // namespace

void bind_trace_writer(nb::module_& module) {
    bind_parameters(module);
    nb::enum_<TraceObject::Kind>(module, "ObjectKind", "What ranks communicate over.")
        .value("communicator", TraceObject::Kind::communicator)
        .value("window", TraceObject::Kind::window)
        .value("file", TraceObject::Kind::file);
    nb::class_<TraceObject>(module, "TraceObject", "A communicator, a window or a file.")
        .def(nb::init<>())
        .def_rw("kind", &TraceObject::kind)
        .def_rw("context", &TraceObject::context)
        .def_rw("intercommunicator", &TraceObject::intercommunicator)
        .def_rw("size", &TraceObject::size)
        .def_rw("name", &TraceObject::name)
        .def_rw("members", &TraceObject::members)
        .def_rw("own_group", &TraceObject::own_group);
    nb::class_<TraceWriter>(module, "TraceWriter", "Writes a trace, a stream of calls after another.")
        .def(nb::init<std::string>(), nb::arg("path"))
        .def("function", &TraceWriter::function, nb::arg("name"))
        .def(
            "call_site", [](TraceWriter& self, const CallSite& site) { return self.call_site(site); }, nb::arg("site"))
        .def("object", &TraceWriter::object, nb::arg("object"))
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
            nb::arg("rank"), nb::arg("host"), nb::arg("objects"), nb::arg("killed") = false,
            "Ranks come in their order; `objects` are by the rank's own numbers.")
        .def("begin_stream", &TraceWriter::begin_stream, nb::arg("rank"), nb::arg("thread"))
        .def(
            "append",
            [](TraceWriter& self, const OwnedParameters& parameters, std::uint64_t begin_ns, std::uint64_t end_ns,
               std::uint64_t times, std::uint64_t polling_ns) {
                self.append(self.signature(parameters.view()),
                            {begin_ns, end_ns, times, times == 1 ? end_ns - begin_ns : polling_ns});
            },
            nb::arg("parameters"), nb::arg("begin_ns"), nb::arg("end_ns"), nb::arg("times") = 1,
            nb::arg("polling_ns") = 0)
        .def("finish", &TraceWriter::finish);
}

}  // namespace waywiser::bind
