#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <span>
#include <string>
#include <tuple>

#include "base/error.hpp"
#include "bind/rooms.hpp"
#include "collectives/selection.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::collectives;

namespace waywiser::bind {
namespace {

/// An operation from Python, together with the data to which it refers.
class Call {
public:
    Call(int ranks, int root, std::uint64_t bytes, std::vector<std::uint64_t> shares, std::uint64_t segment_bytes,
         int fan_out, std::uint64_t element_bytes, bool commutative, const std::vector<std::int64_t>& nodes)
        : shares_(std::move(shares)),
          nodes_(nodes.empty() ? nullptr : std::make_shared<Nodes>(nodes)),
          operation_{.ranks = ranks,
                     .root = root,
                     .bytes = bytes,
                     .segment_bytes = segment_bytes,
                     .fan_out = fan_out,
                     .element_bytes = element_bytes,
                     .commutative = commutative} {
        require(ranks >= 1, "ranks: expected at least 1, found " + std::to_string(ranks));
        require(root >= 0 && root < ranks,
                "root: expected 0 to " + std::to_string(ranks - 1) + ", found " + std::to_string(root));
        require(element_bytes >= 1, "element_bytes: expected at least 1, found 0");
        require(fan_out >= 0, "fan_out: expected 0 or more, found " + std::to_string(fan_out));
        require(shares_.empty() || shares_.size() == static_cast<std::size_t>(ranks),
                "shares: expected one for each of " + std::to_string(ranks) + " ranks, found " +
                    std::to_string(shares_.size()));
        require(nodes.empty() || nodes.size() == static_cast<std::size_t>(ranks),
                "nodes: expected one for each of " + std::to_string(ranks) + " ranks, found " +
                    std::to_string(nodes.size()));
    }

    [[nodiscard]] Operation operation() const {
        Operation op = operation_;
        op.shares = shares_;
        op.nodes = nodes_.get();
        return op;
    }

    [[nodiscard]] const std::shared_ptr<Nodes>& nodes() const { return nodes_; }

private:
    std::vector<std::uint64_t> shares_;
    std::shared_ptr<Nodes> nodes_;
    Operation operation_;
};

const Algorithm& serving(std::string_view collective, std::string_view name, const Operation& op) {
    const Algorithm& chosen = algorithm(collective_named(collective), name);
    require(chosen.supports(op), std::string(chosen.name) + " of " + std::string(collective) +
                                     " does not serve this operation of " + std::to_string(op.ranks) + " ranks");
    return chosen;
}

auto algorithm_rows(bool switches) {
    std::vector<std::tuple<std::string_view, std::string_view, std::string_view>> rows;
    for (const Algorithm& candidate : algorithms()) {
        if (switches || candidate.switches == nullptr)
            rows.emplace_back(name_of(candidate.collective), candidate.name, candidate.source);
    }
    return rows;
}

using Message = std::tuple<int, int, std::uint64_t>;

std::vector<Message> sent_by(std::span<const Stage> stages, int rank, int participants) {
    require(rank >= 0 && rank < participants,
            "rank: expected 0 to " + std::to_string(participants - 1) + ", found " + std::to_string(rank));
    std::vector<Message> messages;
    for (const Move& move : moves(stages, rank)) {
        if (move.to != kNobody) messages.emplace_back(move.round, move.to, move.sent_bytes);
    }
    return messages;
}

std::vector<Message> sent(std::string_view collective, std::string_view name, const Call& call, int rank) {
    const Operation op = call.operation();
    const Algorithm& chosen = serving(collective, name, op);
    return sent_by(stages_by(chosen, op), rank, participants(chosen, op));
}

auto cost(std::string_view collective, std::string_view name, const Call& call) {
    const Operation op = call.operation();
    const Cost total = cost_of(stages_by(serving(collective, name, op), op));
    return std::tuple{total.rounds, total.messages, total.bytes};
}

/// A stage, together with the data to which it refers.
class Chosen {
public:
    Chosen(const Stage& stage, const Call& call)
        : shares_(stage.operation.shares.begin(), stage.operation.shares.end()),
          nodes_(call.nodes()),
          ranks_(call.operation().ranks),
          stage_(stage) {}

    [[nodiscard]] Stage stage() const {
        Stage stage = stage_;
        stage.operation.shares = shares_;
        return stage;
    }

    [[nodiscard]] std::vector<Message> sent(int rank) const {
        const Stage own = stage();
        return sent_by({&own, 1}, rank, ranks_);
    }

private:
    std::vector<std::uint64_t> shares_;
    std::shared_ptr<Nodes> nodes_;
    int ranks_;  ///< ranks of the call
    Stage stage_;
};

std::vector<Chosen> chosen_by(std::string_view library, std::string_view collective, const Call& call,
                              bool nonblocking) {
    std::vector<Chosen> stages;
    for (const Stage& stage :
         select(library_named(library), collective_named(collective), call.operation(), nonblocking))
        stages.emplace_back(stage, call);
    return stages;
}

}  // namespace

void bind_collectives(nb::module_& module) {
    nb::class_<Call>(
        module, "CollectiveCall",
        "A collective's operation on a communicator; `nodes` are those of its ranks, none where that is not known.")
        .def(nb::init<int, int, std::uint64_t, std::vector<std::uint64_t>, std::uint64_t, int, std::uint64_t, bool,
                      const std::vector<std::int64_t>&>(),
             "ranks"_a, nb::kw_only(), "root"_a = 0, "bytes"_a = 0, "shares"_a = std::vector<std::uint64_t>{},
             "segment_bytes"_a = 0, "fan_out"_a = 0, "element_bytes"_a = 1, "commutative"_a = true,
             "nodes"_a = std::vector<std::int64_t>{});

    nb::class_<Chosen>(module, "CollectiveStage", "What a library does for a collective, or for a part of it.")
        .def_prop_ro("collective", [](const Chosen& self) { return name_of(self.stage().algorithm->collective); })
        .def_prop_ro("algorithm", [](const Chosen& self) { return self.stage().algorithm->name; })
        .def_prop_ro(
            "segment_bytes", [](const Chosen& self) { return self.stage().operation.segment_bytes; },
            "0: nothing is cut.")
        .def_prop_ro(
            "fan_out", [](const Chosen& self) { return self.stage().operation.fan_out; }, "0: the algorithm's own.")
        .def_prop_ro(
            "exact", [](const Chosen& self) { return self.stage().exact; },
            "False: stands for an algorithm that is not in the table.")
        .def_prop_ro(
            "level",
            [](const Chosen& self) {
                constexpr std::string_view kLevels[] = {"everyone", "within", "between"};
                return kLevels[static_cast<std::size_t>(self.stage().level)];
            },
            "Who takes part: everyone, or on each node its ranks (within), or one of them (between).")
        .def("sent", &Chosen::sent, "rank"_a, "Round, destination and bytes of a rank's messages.");

    module.def("collective_algorithms", &algorithm_rows, "switches"_a = true,
               "Collective, name and source of each, with or without those that run in switches.");
    module.def(
        "collective_algorithm",
        [](std::string_view collective, std::string_view name) {
            return algorithm(collective_named(collective), name).name;
        },
        "collective"_a, "name"_a,
        "The table's name for what a user wrote; refuses what is not there and says what is.");
    module.def("collective_sent", &sent, "collective"_a, "algorithm"_a, "call"_a, "rank"_a,
               "Round, destination and bytes of a rank's messages.");
    module.def("collective_cost", &cost, "collective"_a, "algorithm"_a, "call"_a,
               "Rounds, messages and bytes of all ranks together.");
    module.def("select_collective", &chosen_by, "library"_a, "collective"_a, "call"_a, "nonblocking"_a = false,
               "The stages that a library (openmpi, mpich) chooses by its own rules.");
}

}  // namespace waywiser::bind
