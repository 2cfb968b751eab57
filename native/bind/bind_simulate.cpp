#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/rooms.hpp"
#include "simulate/replay.hpp"

namespace nb = nanobind;
using namespace waywiser::simulate;

namespace waywiser::bind {
namespace {

Prediction replay_file(const std::string& path, const Settings& settings) {
    return replay(trace::TraceFile(path), settings);
}

void bind_settings(nb::module_& module) {
    nb::class_<Cost>(module, "Cost", "What messages up to a size cost: LogGP, in ns.")
        .def(nb::init<std::optional<std::uint64_t>, double, double, double, double, double>(),
             nb::arg("up_to_bytes").none(), nb::arg("latency_ns"), nb::arg("overhead_ns") = 0, nb::arg("gap_ns") = 0,
             nb::arg("ns_per_byte") = 0, nb::arg("overhead_ns_per_byte") = 0)
        .def_rw("up_to_bytes", &Cost::up_to_bytes, nb::arg().none())
        .def_rw("latency_ns", &Cost::latency_ns)
        .def_rw("overhead_ns", &Cost::overhead_ns)
        .def_rw("gap_ns", &Cost::gap_ns)
        .def_rw("ns_per_byte", &Cost::ns_per_byte)
        .def_rw("overhead_ns_per_byte", &Cost::overhead_ns_per_byte);
    nb::class_<Messages>(module, "Messages", "What messages cost, by rising sizes; the last cost has no limit.")
        .def(nb::init<std::vector<Cost>, std::uint64_t>(), nb::arg("costs"), nb::arg("eager_limit_bytes"))
        .def_rw("costs", &Messages::costs)
        .def_rw("eager_limit_bytes", &Messages::eager_limit_bytes);
    nb::class_<Noise>(module, "Noise", "Delays of computing, in proportion to it.")
        .def(nb::init<double, std::uint64_t>(), nb::arg("exponential") = 0, nb::arg("seed") = 0)
        .def_rw("exponential", &Noise::exponential)
        .def_rw("seed", &Noise::seed);
    nb::class_<Interconnect>(module, "Interconnect", "Links between nodes, which messages share.")
        .def(
            "__init__",
            [](Interconnect* self, std::shared_ptr<machine::Topology> topology, const Speeds& speeds,
               double tolerance) {
                new (self) Interconnect{.topology = std::move(topology), .speeds = speeds, .tolerance = tolerance};
            },
            nb::arg("topology"), nb::arg("speeds"), nb::arg("tolerance") = Interconnect{}.tolerance);
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
    nb::class_<RankTimes>(module, "RankTimes", "Of one rank: mpi = waiting + transfer + overhead.")
        .def_ro("rank", &RankTimes::rank)
        .def_ro("end_ns", &RankTimes::end_ns)
        .def_ro("compute_ns", &RankTimes::compute_ns)
        .def_ro("mpi_ns", &RankTimes::mpi_ns)
        .def_ro("waiting_ns", &RankTimes::waiting_ns)
        .def_ro("transfer_ns", &RankTimes::transfer_ns)
        .def_ro("overhead_ns", &RankTimes::overhead_ns);
    nb::class_<FunctionTimes>(module, "FunctionTimes", "Of a function, all ranks together.")
        .def_ro("name", &FunctionTimes::name)
        .def_ro("calls", &FunctionTimes::calls)
        .def_ro("ns", &FunctionTimes::ns)
        .def_ro("waiting_ns", &FunctionTimes::waiting_ns);
    nb::class_<CriticalPath>(module, "CriticalPath", "The chain that ends last, by what it is made of.")
        .def_ro("compute_ns", &CriticalPath::compute_ns)
        .def_ro("overhead_ns", &CriticalPath::overhead_ns)
        .def_ro("latency_ns", &CriticalPath::latency_ns)
        .def_ro("transfer_ns", &CriticalPath::transfer_ns);
    nb::class_<Recorded>(module, "Recorded", "The same run as the trace has it; times of all ranks together.")
        .def_ro("makespan_ns", &Recorded::makespan_ns)
        .def_ro("compute_ns", &Recorded::compute_ns)
        .def_ro("mpi_ns", &Recorded::mpi_ns);
    nb::class_<LinkUse>(module, "LinkUse", "How links were shared; empty without an interconnect.")
        .def_ro("bytes", &LinkUse::bytes, "over each link of the topology, then out of and into each node's NIC")
        .def_ro("utilisation", &LinkUse::utilisation)
        .def_ro("delays_ns", &LinkUse::delays_ns, "what messages lost by sharing, all together")
        .def_ro("inner_delays_ns", &LinkUse::inner_delays_ns,
                "of these, messages that a link between switches held up in the end")
        .def_ro("most_to_a_node", &LinkUse::most_to_a_node, "messages under way to one node at once");
    nb::class_<Prediction>(module, "Prediction", "What a replay finds.")
        .def_ro("makespan_ns", &Prediction::makespan_ns)
        .def_ro("ranks", &Prediction::ranks)
        .def_ro("functions", &Prediction::functions)
        .def_ro("critical_path", &Prediction::critical_path)
        .def_ro("recorded", &Prediction::recorded)
        .def_ro("links", &Prediction::links)
        .def_ro("messages", &Prediction::messages)
        .def_ro("bytes", &Prediction::bytes)
        .def_ro("progress", &Prediction::progress)
        .def_ro("threads", &Prediction::threads, "that were used")
        .def_ro("remarks", &Prediction::remarks);
    module.def("replay", &replay_file, nb::arg("path"), nb::arg("settings"), nb::call_guard<nb::gil_scoped_release>(),
               "Predicts the traced run on another machine.");
}

}  // namespace waywiser::bind
