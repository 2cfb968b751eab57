#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/rooms.hpp"
#include "trace/profile_file.hpp"
#include "trace/state_reader.hpp"

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
        .def_ro("upper_bound_bytes", &SizeCount::upper_bound_bytes)
        .def_ro("calls", &SizeCount::calls)
        .def_ro("ns", &SizeCount::ns);

    nb::class_<Load>(module, "Load", "Calls of one kind with their time and their payload.")
        .def_ro("calls", &Load::calls)
        .def_ro("ns", &Load::ns)
        .def_ro("max_ns", &Load::max_ns)
        .def_ro("sync_ns", &Load::sync_ns)
        .def_ro("bytes", &Load::bytes)
        .def_ro("posted_bytes", &Load::posted_bytes);

    nb::class_<FunctionProfile>(module, "FunctionProfile", "A function as one thread called it in one phase.")
        .def_ro("name", &FunctionProfile::name)
        .def_ro("phase", &FunctionProfile::phase)
        .def_ro("load", &FunctionProfile::load)
        .def_ro("pending_calls", &FunctionProfile::pending_calls)
        .def_ro("pending_ns", &FunctionProfile::pending_ns)
        .def_ro("sizes", &FunctionProfile::sizes);

    nb::class_<ThreadProfile>(module, "ThreadProfile", "One thread that called MPI.")
        .def_ro("ns", &ThreadProfile::ns)
        .def_ro("functions", &ThreadProfile::functions);

    nb::class_<Message>(module, "Message", "What a rank sent to one other.")
        .def_ro("destination", &Message::destination)
        .def_ro("bytes", &Message::bytes)
        .def_ro("messages", &Message::messages)
        .def_ro("collective_bytes", &Message::collective_bytes)
        .def_ro("collective_messages", &Message::collective_messages);

    nb::class_<PhaseProfile>(module, "PhaseProfile", "A stretch of the program that it numbered.")
        .def_ro("phase", &PhaseProfile::phase)
        .def_ro("entries", &PhaseProfile::entries)
        .def_ro("ns", &PhaseProfile::ns);

    nb::class_<Stride>(module, "Stride", "World ranks first, first + stride, …: `count` of them.")
        .def_ro("first", &Stride::first)
        .def_ro("stride", &Stride::stride)
        .def_ro("count", &Stride::count);

    nb::class_<Communicator>(module, "Communicator", "Processes in the order of a communicator's ranks.")
        .def_ro("size", &Communicator::size)
        .def_ro("intercommunicator", &Communicator::intercommunicator)
        .def_ro("name", &Communicator::name)
        .def_ro("members", &Communicator::members);

    nb::class_<CollectiveProfile>(module, "CollectiveProfile", "A collective on one communicator, with one root.")
        .def_ro("communicator", &CollectiveProfile::communicator)
        .def_ro("function", &CollectiveProfile::function)
        .def_ro("root", &CollectiveProfile::root)
        .def_ro("load", &CollectiveProfile::load);

    nb::class_<CallSite>(module, "CallSite", "A place in the program.")
        .def_ro("module", &CallSite::module)
        .def_ro("address", &CallSite::address)
        .def_rw("place", &CallSite::place);

    nb::class_<CallSiteProfile>(module, "CallSiteProfile", "A function as one rank called it from one place.")
        .def_ro("site", &CallSiteProfile::site)
        .def_ro("function", &CallSiteProfile::function)
        .def_ro("load", &CallSiteProfile::load);

    nb::class_<RankProfile>(module, "RankProfile", "One rank of MPI_COMM_WORLD; times in ns.")
        .def_ro("rank", &RankProfile::rank)
        .def_ro("pid", &RankProfile::pid)
        .def_ro("ending", &RankProfile::ending)
        .def_ro("inside", &RankProfile::inside)
        .def_ro("host", &RankProfile::host)
        .def_ro("cpus", &RankProfile::cpus)
        .def_ro("wall_ns", &RankProfile::wall_ns)
        .def_ro("init_ns", &RankProfile::init_ns)
        .def_ro("finalize_ns", &RankProfile::finalize_ns)
        .def_ro("cpu_ns", &RankProfile::cpu_ns)
        .def_ro("voluntary_switches", &RankProfile::voluntary_switches)
        .def_ro("involuntary_switches", &RankProfile::involuntary_switches)
        .def_ro("peak_memory_bytes", &RankProfile::peak_memory_bytes)
        .def_ro("outside_world_messages", &RankProfile::outside_world_messages)
        .def_ro("outside_world_bytes", &RankProfile::outside_world_bytes)
        .def_ro("unrecorded_calls", &RankProfile::unrecorded_calls)
        .def_ro("instructions", &RankProfile::instructions)
        .def_ro("cycles", &RankProfile::cycles)
        .def_ro("threads", &RankProfile::threads)
        .def_ro("messages", &RankProfile::messages)
        .def_ro("phases", &RankProfile::phases)
        .def_ro("collectives", &RankProfile::collectives)
        .def_ro("call_sites", &RankProfile::call_sites);

    nb::class_<Profile>(module, "Profile", "A profile of a whole job.")
        .def_ro("world_size", &Profile::world_size)
        .def_ro("abi", &Profile::abi)
        .def_ro("library", &Profile::library)
        .def_ro("transport", &Profile::transport)
        .def_ro("split_sync", &Profile::split_sync)
        .def_ro("communicators", &Profile::communicators)
        .def_ro("call_sites", &Profile::call_sites)
        .def_ro("ranks", &Profile::ranks)
        .def_ro("lost", &Profile::lost);

    module.def("merge_states", &merge_states, nb::arg("paths"), nb::arg("job_has_ended"),
               nb::call_guard<nb::gil_scoped_release>(),
               "Joins the live states of a job's processes; `lost` says what is missing.");
    module.def("write_profile", &write_profile, nb::arg("profile"), nb::arg("path"),
               nb::call_guard<nb::gil_scoped_release>(), "Writes profile.ww.");
    module.def("read_profile", &read_profile, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>(),
               "Reads profile.ww; `lost` says what could not be read.");
}

}  // namespace waywiser::bind
