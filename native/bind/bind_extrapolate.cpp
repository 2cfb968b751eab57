#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind/parameters.hpp"
#include "bind/records.hpp"
#include "bind/rooms.hpp"
#include "extrapolate/extrapolation.hpp"
#include "simulate/replay.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::extrapolate;

namespace waywiser::bind {
namespace {

/// The scaling law of a call's time or size, for reports.
struct Law {
    std::string call;
    std::string what;
    std::string law;
    double share;
    double residual;
};

std::vector<std::int64_t> ranks_of(const Pattern& pattern) {
    std::vector<std::int64_t> ranks;
    ranks.reserve(pattern.runs.size());
    for (const Recording& run : pattern.runs) ranks.push_back(run.ranks);
    return ranks;
}

/// Laws of the times of all places, and of sizes that change with the number of ranks. Each class has its own laws.
std::vector<Law> laws_of(const Pattern& pattern) {
    std::vector<Law> laws;
    for (const auto& [number, of_class] : pattern.by_class) {
        const double weight =
            static_cast<double>(of_class.ranks.size()) / static_cast<double>(pattern.runs.back().ranks);
        for (const CallPattern& call : of_class.calls) {
            const Choice& first = call.choices.front();
            const std::string name = pattern.vocabulary.name(first.call);
            laws.push_back({name, "computing", call.time.text(), weight * call.share, call.time.residual});
            for (const Choice& choice : call.choices) {
                const Scaling& bytes = choice.sizes.bytes;
                if (!bytes.is_constant()) laws.push_back({name, "bytes", bytes.text(), 0, bytes.residual});
            }
        }
    }
    return laws;
}

/// The calls of a rank, with the time that it computes before each [ns].
std::vector<std::pair<OwnedParameters, std::uint64_t>> calls_of(Extrapolation& run, std::size_t rank) {
    if (rank >= run.job().streams.size()) throw nb::index_error("there is no such rank");
    const auto& list = run.lists()[run.list_of(rank)];
    std::vector<std::pair<OwnedParameters, std::uint64_t>> calls;
    const std::unique_ptr<trace::CallReader> reader = run.reader();
    trace::BlockOfCalls block;
    for (std::size_t number = 0; reader->read(rank, number, block); ++number) {
        for (const trace::BlockOfCalls::Call& next : block.calls) {
            const trace::FullCall* full = next.is_full() ? &block.full[next.what >> 1U] : nullptr;
            const trace::StoredSignature& stored = *list[full != nullptr ? full->symbol : next.what >> 1U];
            trace::Parameters call = stored.signature.parameters;
            if (stored.relative != 0) run.place(rank, stored.relative, call);
            calls.emplace_back(OwnedParameters(call), full != nullptr ? full->gap_ns : next.gap_ns);
        }
    }
    return calls;
}

}  // namespace

void bind_extrapolate(nb::module_& module) {
    bind_record<Law>(module, "Law", "Law of a call's size, or of the computation before it.",
                     WAYWISER_MEMBERS(Law, call))
        .def_ro("what", &Law::what, "'computing' or 'bytes'")
        .def_ro("law", &Law::law)
        .def_ro("share", &Law::share, "share in the computation of all ranks")
        .def_ro("residual", &Law::residual, "root of the mean square of (fit - seen) / seen");
    nb::class_<Pattern>(module, "ProgramPattern", "What is regular in the calls of a program.")
        .def_prop_ro("ranks", &ranks_of, "of the runs")
        .def_prop_ro("laws", &laws_of)
        .def_prop_ro("classes", [](const Pattern& self) { return self.by_class.size(); })
        .def_prop_ro("assumes_growth", &Pattern::assumes_growth)
        .def(
            "reaches", [](const Pattern& self, std::int64_t ranks) { return self.growth.steps(ranks).has_value(); },
            "ranks"_a, "True if the runs grow to this number of ranks.")
        .def(
            "grid",
            [](const Pattern& self, std::int64_t ranks) -> std::optional<std::string> {
                const auto steps = self.growth.steps(ranks);
                if (self.growth.dimensions < 2 || !steps) return {};
                return self.growth.text(*steps);
            },
            "ranks"_a, "None: the calls know no grid of several dimensions");
    nb::class_<Extrapolation>(module, "Extrapolation", "A program at a number of ranks that nobody ran.")
        .def(
            "__init__",
            [](Extrapolation* self, const Pattern& pattern, std::int64_t ranks, std::optional<std::int64_t> per_node) {
                new (self) Extrapolation(pattern, ranks, per_node, simulate::keeps_length);
            },
            "pattern"_a, "ranks"_a, "ranks_per_node"_a = nb::none(), nb::keep_alive<1, 2>())
        .def_prop_ro("job", &Extrapolation::job, nb::rv_policy::reference_internal)
        .def("calls", &calls_of, "rank"_a)
        .def(
            "replay",
            [](Extrapolation& self, const simulate::Settings& settings) {
                return simulate::replay(self.job(), self, settings);
            },
            "settings"_a, nb::call_guard<nb::gil_scoped_release>(), "Predicts the run.");
    module.def("recognise", &recognise, "traces"_a, nb::call_guard<nb::gil_scoped_release>(),
               "The pattern of a program that is traced with P, 2 P, 4 P, … or P, 4 P, 16 P, … ranks.");
}

}  // namespace waywiser::bind
