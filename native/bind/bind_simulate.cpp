#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/records.hpp"
#include "bind/rooms.hpp"
#include "simulate/replay.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::simulate;

namespace waywiser::bind {
namespace {

Prediction replay_file(const std::string& path, const Settings& settings) {
    return replay(trace::TraceFile(path), settings);
}

void bind_settings(nb::module_& module) {
    with_open_members(nb::class_<Cost>(module, "Cost", "What messages up to a size cost: LogGP, in ns.")
                          .def(nb::init<std::optional<std::uint64_t>, double, double, double, double, double>(),
                               "up_to_bytes"_a.none(), "latency_ns"_a, "overhead_ns"_a = 0, "gap_ns"_a = 0,
                               "ns_per_byte"_a = 0, "overhead_ns_per_byte"_a = 0)
                          .def_rw("up_to_bytes", &Cost::up_to_bytes, nb::arg().none()),
                      WAYWISER_MEMBERS(Cost, latency_ns, overhead_ns, gap_ns, ns_per_byte, overhead_ns_per_byte));
    nb::class_<Messages>(module, "Messages", "What messages cost, by rising sizes; the last cost has no limit.")
        .def(nb::init<std::vector<Cost>, std::uint64_t>(), "costs"_a, "eager_limit_bytes"_a)
        .def_rw("costs", &Messages::costs)
        .def_rw("eager_limit_bytes", &Messages::eager_limit_bytes);
    nb::class_<Noise>(module, "Noise", "Delays of computation, in proportion to it.")
        .def(nb::init<double, std::uint64_t>(), "exponential"_a = 0, "seed"_a = 0)
        .def_rw("exponential", &Noise::exponential)
        .def_rw("seed", &Noise::seed);
    nb::class_<Interconnect>(module, "Interconnect", "Links between nodes, which messages share.")
        .def(
            "__init__",
            [](Interconnect* self, std::shared_ptr<machine::Topology> topology, const Speeds& speeds, double tolerance,
               std::uint64_t seed) {
                new (self) Interconnect{
                    .topology = std::move(topology), .speeds = speeds, .tolerance = tolerance, .seed = seed};
            },
            "topology"_a, "speeds"_a, "tolerance"_a = Interconnect{}.tolerance, "seed"_a = 0)
        .def_ro("seed", &Interconnect::seed, "Selects the detours of adaptive routing.");
    nb::class_<Settings>(module, "Settings", "What a trace is replayed on.")
        .def(nb::init<>())
        .def_rw("within", &Settings::within, "messages between ranks of a node")
        .def_rw("between", &Settings::between, "messages between ranks of two nodes")
        .def_rw("node_of_rank", &Settings::node_of_rank, "by world rank; empty: the recorded hosts")
        .def_rw("cpu", &Settings::cpu, "speed of computation as a multiple of the recorded one")
        .def_rw("balanced", &Settings::balanced)
        .def_rw("no_noise", &Settings::no_noise)
        .def_rw("early_sends", &Settings::early_sends)
        .def_rw("join_messages", &Settings::join_messages)
        .def_rw("asynchronous", &Settings::asynchronous)
        .def_rw("collectives", &Settings::collectives, "algorithm by collective: {'allreduce': 'Rabenseifner'}")
        .def_rw("library", &Settings::library)
        .def_rw("noise", &Settings::noise)
        .def_rw("interconnect", &Settings::interconnect, nb::arg().none(),
                "None: messages do not get in each other's way")
        .def_rw("share_nic", &Settings::share_nic)
        .def_rw("threads", &Settings::threads, "0: as many as help; the result is the same for any number");
}

}  // namespace

void bind_simulate(nb::module_& module) {
    bind_settings(module);
    bind_record<RankTimes>(
        module, "RankTimes", "Of one rank: mpi = waiting + transfer + overhead.",
        WAYWISER_MEMBERS(RankTimes, rank, end_ns, compute_ns, mpi_ns, waiting_ns, transfer_ns, overhead_ns));
    bind_record<FunctionTimes>(module, "FunctionTimes", "Of a function, all ranks together.",
                               WAYWISER_MEMBERS(FunctionTimes, name, calls, ns, waiting_ns));
    bind_record<CriticalPath>(module, "CriticalPath", "The chain that ends last, by what it is made of.",
                              WAYWISER_MEMBERS(CriticalPath, compute_ns, overhead_ns, latency_ns, transfer_ns));
    bind_record<Recorded>(module, "Recorded", "The same run as the trace has it; times of all ranks together.",
                          WAYWISER_MEMBERS(Recorded, makespan_ns, compute_ns, mpi_ns));
    nb::class_<LinkUse>(module, "LinkUse", "How links were shared; empty without an interconnect.")
        .def_ro("bytes", &LinkUse::bytes, "over each link of the topology, then out of and into each node's NIC")
        .def_ro("utilisation", &LinkUse::utilisation)
        .def_ro("delays_ns", &LinkUse::delays_ns, "what messages lost by sharing, all together")
        .def_ro("inner_delays_ns", &LinkUse::inner_delays_ns,
                "of these, messages that a link between switches held up in the end")
        .def_ro("most_to_a_node", &LinkUse::most_to_a_node, "messages under way to one node at once");
    bind_record<Prediction>(module, "Prediction", "What a replay finds.",
                            WAYWISER_MEMBERS(Prediction, makespan_ns, ranks, functions, critical_path, recorded, links,
                                             messages, bytes, progress))
        .def_ro("threads", &Prediction::threads, "that were used")
        .def_ro("remarks", &Prediction::remarks);
    module.def("replay", &replay_file, "path"_a, "settings"_a, nb::call_guard<nb::gil_scoped_release>(),
               "Predicts the traced run on another machine.");
}

}  // namespace waywiser::bind
