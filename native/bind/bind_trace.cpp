#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "base/error.hpp"
#include "bind/record_fields.hpp"
#include "bind/records.hpp"
#include "bind/rooms.hpp"
#include "trace/encoding/profile_file.hpp"
#include "trace/merging/state_merge.hpp"
#include "trace/records/load_fields.hpp"
#include "trace/records/state.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::trace;

namespace waywiser::bind {

void bind_trace(nb::module_& module) {
    bind_enumeration<Ending>(module, "Ending", "How a rank ended.");

    bind_open_record<SizeCount>(module, "SizeCount", "Calls of one message-size bin.");

    nb::class_<Load> load(module, "Load", "Calls of one kind with their time and their payload.");
    load.def(nb::init<>());
    for (const LoadField& part : kLoadFields) {
        load.def_rw(part.name.data(), part.value);  // NOLINT(bugprone-suspicious-stringview-data-usage): a literal
    }

    bind_open_record<FunctionProfile>(module, "FunctionProfile", "A function as one thread called it in one phase.");

    bind_open_record<ThreadProfile>(module, "ThreadProfile", "One thread that called MPI.");

    bind_open_record<Message>(
        module, "Message", "What a rank sent to one other.",
        WAYWISER_MEMBERS(Message, destination, bytes, messages, collective_bytes, collective_messages));

    bind_open_record<PhaseProfile>(module, "PhaseProfile", "A part of the program that it numbered by MPI_Pcontrol.");

    bind_open_record<Stride>(module, "Stride", "World ranks first, first + stride, …: `count` of them.");

    bind_open_record<Communicator>(module, "Communicator", "Processes in the order of a communicator's ranks.");

    bind_open_record<CollectiveProfile>(module, "CollectiveProfile",
                                        "A collective on one communicator, with one root.");

    bind_open_record<CallSite>(module, "CallSite", "A place in the program.");

    bind_open_record<CallSiteProfile>(module, "CallSiteProfile", "A function as one rank called it from one place.");

    bind_record<OpenMpThread>(module, "OpenMpThread", "A thread number of a rank's OpenMP teams.");

    bind_record<OpenMpProfile>(module, "OpenMpProfile", "Parallel regions of a rank.");

    nb::class_<RankProfile> rank(module, "RankProfile", "One rank of MPI_COMM_WORLD; times in ns.");
    bind_fields<kRankFields>(rank);
    with_open_members(rank.def(nb::init<>()),
                      WAYWISER_MEMBERS(RankProfile, rank, pid, ending, inside, host, cpus, not_counted, threads,
                                       messages, phases, collectives, call_sites, openmp, io));

    nb::class_<NodeProfile> node(module, "NodeProfile", "One node; times in ns, energies in microjoules.");
    bind_fields<kNodeFields>(node);
    node.def(nb::init<>()).def_rw("host", &NodeProfile::host);

    bind_open_record<Profile>(
        module, "Profile", "A profile of a whole job.",
        WAYWISER_MEMBERS(Profile, world_size, abi, library, transport, split_sync, communicators, call_sites))
        .def(
            "name_call_sites",
            [](Profile& profile, const std::vector<std::string>& places) {
                require(places.size() == profile.call_sites.size(), "expected one place for each call site");
                for (std::size_t i = 0; i < places.size(); ++i) profile.call_sites[i].place = places[i];
            },
            "places"_a, "Stores where each call site is in the sources, once that is looked up.")
        .def_rw("ranks", &Profile::ranks)
        .def_rw("nodes", &Profile::nodes)
        .def_rw("lost", &Profile::lost);

    module.attr("RANK_FIELDS") = described(kRankFields);
    module.attr("NODE_FIELDS") = described(kNodeFields);
    module.attr("LOAD_FIELDS") = described(kLoadFields);
    module.attr("OTHER_FILES") = state::kOtherModules;  // This is the CallSite.module of all files beyond the limit.
    module.attr("OTHER_PLACES") = state::kOtherPlaces;
    module.def("merge_states", &merge_states, "paths"_a, "job_has_ended"_a, nb::call_guard<nb::gil_scoped_release>(),
               "Joins the live states of a job's processes; `lost` says what is missing.");
    module.def("write_profile", &write_profile, "profile"_a, "path"_a, nb::call_guard<nb::gil_scoped_release>(),
               "Writes profile.ww.");
    module.def("read_profile", &read_profile, "path"_a, nb::call_guard<nb::gil_scoped_release>(),
               "Reads profile.ww; `lost` says what could not be read.");
}

}  // namespace waywiser::bind
