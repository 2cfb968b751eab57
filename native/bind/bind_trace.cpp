#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "bind/record_fields.hpp"
#include "bind/rooms.hpp"
#include "trace/encoding/profile_file.hpp"
#include "trace/merging/state_merge.hpp"
#include "trace/records/load_fields.hpp"
#include "trace/records/state.hpp"

namespace nb = nanobind;
using namespace waywiser::trace;

namespace waywiser::bind {

void bind_trace(nb::module_& module) {
    nb::enum_<Ending>(module, "Ending", "How a rank ended.")
        .value("killed", Ending::killed)
        .value("finalised", Ending::finalised)
        .value("aborted", Ending::aborted)
        .value("exited", Ending::exited);

    nb::class_<SizeCount>(module, "SizeCount", "Calls of one message-size bin.")
        .def(nb::init<>())
        .def_rw("upper_bound_bytes", &SizeCount::upper_bound_bytes)
        .def_rw("calls", &SizeCount::calls)
        .def_rw("ns", &SizeCount::ns);

    nb::class_<Load> load(module, "Load", "Calls of one kind with their time and their payload.");
    load.def(nb::init<>());
    for (const LoadField& part : kLoadFields) {
        load.def_rw(part.name.data(), part.value);  // NOLINT(bugprone-suspicious-stringview-data-usage): a literal
    }

    nb::class_<FunctionProfile>(module, "FunctionProfile", "A function as one thread called it in one phase.")
        .def(nb::init<>())
        .def_rw("name", &FunctionProfile::name)
        .def_rw("phase", &FunctionProfile::phase)
        .def_rw("load", &FunctionProfile::load)
        .def_rw("pending_calls", &FunctionProfile::pending_calls)
        .def_rw("pending_ns", &FunctionProfile::pending_ns)
        .def_rw("sizes", &FunctionProfile::sizes);

    nb::class_<ThreadProfile>(module, "ThreadProfile", "One thread that called MPI.")
        .def(nb::init<>())
        .def_rw("ns", &ThreadProfile::ns)
        .def_rw("functions", &ThreadProfile::functions);

    nb::class_<Message>(module, "Message", "What a rank sent to one other.")
        .def(nb::init<>())
        .def_rw("destination", &Message::destination)
        .def_rw("bytes", &Message::bytes)
        .def_rw("messages", &Message::messages)
        .def_rw("collective_bytes", &Message::collective_bytes)
        .def_rw("collective_messages", &Message::collective_messages);

    nb::class_<PhaseProfile>(module, "PhaseProfile", "A stretch of the program that it numbered.")
        .def(nb::init<>())
        .def_rw("phase", &PhaseProfile::phase)
        .def_rw("entries", &PhaseProfile::entries)
        .def_rw("ns", &PhaseProfile::ns);

    nb::class_<Stride>(module, "Stride", "World ranks first, first + stride, …: `count` of them.")
        .def(nb::init<>())
        .def_rw("first", &Stride::first)
        .def_rw("stride", &Stride::stride)
        .def_rw("count", &Stride::count);

    nb::class_<Communicator>(module, "Communicator", "Processes in the order of a communicator's ranks.")
        .def(nb::init<>())
        .def_rw("size", &Communicator::size)
        .def_rw("intercommunicator", &Communicator::intercommunicator)
        .def_rw("name", &Communicator::name)
        .def_rw("members", &Communicator::members);

    nb::class_<CollectiveProfile>(module, "CollectiveProfile", "A collective on one communicator, with one root.")
        .def(nb::init<>())
        .def_rw("communicator", &CollectiveProfile::communicator)
        .def_rw("function", &CollectiveProfile::function)
        .def_rw("root", &CollectiveProfile::root)
        .def_rw("load", &CollectiveProfile::load);

    nb::class_<CallSite>(module, "CallSite", "A place in the program.")
        .def(nb::init<>())
        .def_rw("module", &CallSite::module)
        .def_rw("address", &CallSite::address)
        .def_rw("place", &CallSite::place);

    nb::class_<CallSiteProfile>(module, "CallSiteProfile", "A function as one rank called it from one place.")
        .def(nb::init<>())
        .def_rw("site", &CallSiteProfile::site)
        .def_rw("function", &CallSiteProfile::function)
        .def_rw("load", &CallSiteProfile::load);

    nb::class_<OpenMpThread>(module, "OpenMpThread", "A thread number of a rank's OpenMP teams.")
        .def_ro("regions", &OpenMpThread::regions)
        .def_ro("busy_ns", &OpenMpThread::busy_ns)
        .def_ro("barrier_ns", &OpenMpThread::barrier_ns)
        .def_ro("end_ns", &OpenMpThread::end_ns);

    nb::class_<OpenMpProfile>(module, "OpenMpProfile", "Parallel regions of a rank.")
        .def_ro("regions", &OpenMpProfile::regions)
        .def_ro("ns", &OpenMpProfile::ns)
        .def_ro("tasks", &OpenMpProfile::tasks)
        .def_ro("threads", &OpenMpProfile::threads);

    nb::class_<RankProfile> rank(module, "RankProfile", "One rank of MPI_COMM_WORLD; times in ns.");
    bind_fields<kRankFields>(rank);
    rank.def(nb::init<>())
        .def_rw("rank", &RankProfile::rank)
        .def_rw("pid", &RankProfile::pid)
        .def_rw("ending", &RankProfile::ending)
        .def_rw("inside", &RankProfile::inside)
        .def_rw("host", &RankProfile::host)
        .def_rw("cpus", &RankProfile::cpus)
        .def_rw("not_counted", &RankProfile::not_counted)
        .def_rw("threads", &RankProfile::threads)
        .def_rw("messages", &RankProfile::messages)
        .def_rw("phases", &RankProfile::phases)
        .def_rw("collectives", &RankProfile::collectives)
        .def_rw("call_sites", &RankProfile::call_sites)
        .def_rw("openmp", &RankProfile::openmp)
        .def_rw("io", &RankProfile::io);

    nb::class_<NodeProfile> node(module, "NodeProfile", "One node; times in ns, energies in microjoules.");
    bind_fields<kNodeFields>(node);
    node.def(nb::init<>()).def_rw("host", &NodeProfile::host);

    nb::class_<Profile>(module, "Profile", "A profile of a whole job.")
        .def(nb::init<>())
        .def_rw("world_size", &Profile::world_size)
        .def_rw("abi", &Profile::abi)
        .def_rw("library", &Profile::library)
        .def_rw("transport", &Profile::transport)
        .def_rw("split_sync", &Profile::split_sync)
        .def_rw("communicators", &Profile::communicators)
        .def_rw("call_sites", &Profile::call_sites)
        .def(
            "name_call_sites",
            [](Profile& profile, const std::vector<std::string>& places) {
                require(places.size() == profile.call_sites.size(), "expected one place for each call site");
                for (std::size_t i = 0; i < places.size(); ++i) profile.call_sites[i].place = places[i];
            },
            nb::arg("places"), "Stores where each call site is in the sources, once that is looked up.")
        .def_rw("ranks", &Profile::ranks)
        .def_rw("nodes", &Profile::nodes)
        .def_rw("lost", &Profile::lost);

    module.attr("RANK_FIELDS") = described(kRankFields);
    module.attr("NODE_FIELDS") = described(kNodeFields);
    module.attr("LOAD_FIELDS") = described(kLoadFields);
    module.attr("OTHER_FILES") = state::kOtherModules;  // CallSite.module of all files beyond those listed separately
    module.attr("OTHER_PLACES") = state::kOtherPlaces;
    module.def("merge_states", &merge_states, nb::arg("paths"), nb::arg("job_has_ended"),
               nb::call_guard<nb::gil_scoped_release>(),
               "Joins the live states of a job's processes; `lost` says what is missing.");
    module.def("write_profile", &write_profile, nb::arg("profile"), nb::arg("path"),
               nb::call_guard<nb::gil_scoped_release>(), "Writes profile.ww.");
    module.def("read_profile", &read_profile, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>(),
               "Reads profile.ww; `lost` says what could not be read.");
}

}  // namespace waywiser::bind
