#include "extrapolate/extrapolation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "extrapolate/job_objects.hpp"

namespace waywiser::extrapolate {

namespace {

/// Number of calls per block. It is small, because every rank has a block in memory.
constexpr std::size_t kCallsInBlock = 32;

/// Largest number of calls of a rank. A program with more calls is better extrapolated with fewer ranks or iterations.
constexpr std::uint64_t kMostCalls = std::uint64_t{1} << 26U;

constexpr unsigned kPlacedShift = 4;  ///< shift of the number of a symbol's rules, above kPlacedBySource

/// Number of calls in the largest run.
std::size_t recorded_length(const std::vector<PartPattern>& parts) {
    std::size_t length = 0;
    for (const PartPattern& part : parts) {
        length += part.is_loop() ? part.recorded_count * recorded_length(part.body) : 1;
    }
    return length;
}

/// The number of the round in some of the loops, counted through their rounds, and how many there are.
/// \param around  index and number of rounds of each loop, the outermost first
/// \param levels  numbers of the loops, the innermost first
std::pair<std::uint64_t, std::uint64_t> number_in(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& around,
                                                  const std::vector<std::size_t>& levels) {
    std::uint64_t number = 0;
    std::uint64_t all = 1;
    for (const std::size_t level : levels) {
        const auto& [round, rounds] = around[around.size() - 1 - level];
        number += all * round;
        all *= rounds;
    }
    return {number, all};
}

std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(std::max(value, 0.0))); }

}  // namespace

Extrapolation::Extrapolation(const Pattern& pattern, std::int64_t ranks, std::optional<std::int64_t> per_node,
                             const std::function<bool(const trace::Parameters&)>& keeps_length)
    : pattern_(pattern), ranks_(ranks) {
    const auto steps = pattern.growth.steps(ranks);
    require(steps.has_value() && ranks <= trace::kMaxRanks,
            "ranks: expected " + std::to_string(pattern.runs.front().ranks) + " times a power of " +
                pattern.growth.factor() + ", at most " + std::to_string(trace::kMaxRanks) + ", found " +
                std::to_string(ranks));
    steps_ = steps.value_or(0);
    grid_ = pattern.growth.after(steps_);
    per_node_ = per_node.value_or(pattern.runs.back().per_node);
    check_nodes();
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const std::uint32_t number = class_of(pattern.classes, rank, grid_);
        const auto [at, added] = numbers.try_emplace(number, static_cast<std::uint32_t>(classes_.size()));
        if (added) classes_.push_back(make_class(pattern.by_class.at(number)));
        class_of_rank_.push_back(at->second);
    }
    make_job();
    make_lists();
    for (Class& result : classes_) {
        const List& list = lists_[static_cast<std::size_t>(&result - classes_.data())];
        for (Call& call : result.calls) call.plain = !keeps_length(list[call.symbol]->signature.parameters);
    }
}

/// Checks that the runs tell what the communicators of the nodes do with so many ranks on each.
void Extrapolation::check_nodes() const {
    if (!pattern_.uses_nodes()) return;
    const std::int64_t recorded = pattern_.runs.front().per_node;
    const bool one_number =
        std::ranges::all_of(pattern_.runs, [&](const Recording& run) { return run.per_node == recorded; });
    require(!one_number || per_node_ == recorded, "ranks-per-node: expected " + std::to_string(recorded) +
                                                      ", which all runs have and communicators depend on, found " +
                                                      std::to_string(per_node_));
    require(per_node_ > 0 && ranks_ % std::min(per_node_, ranks_) == 0,
            "ranks-per-node: expected a divisor of " + std::to_string(ranks_) +
                " because communicators depend on the nodes, found " + std::to_string(per_node_));
}

void Extrapolation::make_job() {
    job_.world_size = ranks_;
    job_.library = pattern_.runs.back().library;
    job_.functions = pattern_.vocabulary.functions;
    job_.call_sites = pattern_.vocabulary.call_sites;
    job_.hosts = {{.host = "extrapolated"}};
    JobObjects objects(job_.objects, where(0));
    std::vector<std::optional<std::vector<std::uint32_t>>> of_all;  // by class, if its ranks share all objects
    for (const Class& result : classes_) {
        const auto is_shared = [](const auto& group) { return !group || group->is_world(); };
        const bool shared = std::ranges::all_of(result.pattern->groups, is_shared);
        of_all.emplace_back(shared ? std::optional(objects.of(result.pattern->groups, where(0))) : std::nullopt);
    }
    job_.ranks.reserve(static_cast<std::size_t>(ranks_));
    job_.streams.resize(static_cast<std::size_t>(ranks_));
    for (std::int64_t rank = 0; rank < ranks_; ++rank) {
        const auto index = static_cast<std::size_t>(rank);
        const std::uint32_t number = class_of_rank_[index];
        const auto& groups = classes_[number].pattern->groups;
        job_.ranks.push_back({.rank = rank,
                              .objects = of_all[number] ? *of_all[number] : objects.of(groups, where(rank)),
                              .ending = trace::Ending::finalised});
        job_.streams[index].rank = rank;
        job_.streams[index].calls = job_.streams[index].events = classes_[number].calls.size();
    }
    objects.check(job_.ranks);
}

/// Makes a list for each class, and others for the roots of its collectives.
void Extrapolation::make_lists() {
    for (const Class& result : classes_) lists_.push_back(make_list(result, {}));
    list_of_rank_ = class_of_rank_;
    for (std::uint32_t number = 0; number < classes_.size(); ++number) {
        std::map<Roles, std::uint32_t> list_of;
        for (const auto& [rank, roles] : roots_of(number)) {
            const auto [at, added] = list_of.try_emplace(roles, static_cast<std::uint32_t>(lists_.size()));
            if (added) lists_.push_back(make_list(classes_[number], roles));
            list_of_rank_[static_cast<std::size_t>(rank)] = at->second;
        }
    }
}

Extrapolation::Class Extrapolation::make_class(const ClassPattern& pattern) const {
    Class result;
    result.pattern = &pattern;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> around;
    lay_out(result, pattern.parts, 0, around);
    return result;
}

Extrapolation::List Extrapolation::make_list(const Class& of, const Roles& roles) {
    List list(of.symbols, nullptr);
    for (std::size_t place = 0; place < of.first_symbols.size(); ++place) {
        const CallPattern& call = of.pattern->calls[place];
        const std::size_t first = of.first_symbols[place];
        const std::size_t end = place + 1 < of.first_symbols.size() ? of.first_symbols[place + 1] : of.symbols;
        for (std::size_t symbol = first; symbol < end; ++symbol) {
            const std::size_t alike = (end - first) / call.choices.size();
            const Choice& choice = call.choices[(symbol - first) / alike];
            const std::size_t number = (symbol - first) % alike;
            if (choice.box) {
                list[symbol] = &signature_of(choice, 0, choice.by_faces[number]);
                continue;
            }
            const Sizes& sizes = roles.contains(&choice) ? *choice.at_root : choice.sizes;
            list[symbol] = &signature_of(choice, static_cast<std::int64_t>(number), sizes);
        }
    }
    return list;
}

/// Ranks of a class whose sizes differ from those of its other ranks, and the choices of which they are the root.
std::map<std::int64_t, Extrapolation::Roles> Extrapolation::roots_of(std::uint32_t number) const {
    std::map<std::int64_t, Roles> roots;
    const auto add = [&](std::int64_t rank, const Choice& choice) {
        if (class_of_rank_[static_cast<std::size_t>(rank)] == number) roots[rank].insert(&choice);
    };
    for (const CallPattern& call : classes_[number].pattern->calls) {
        for (const Choice& choice : call.choices) {
            if (!choice.at_root) continue;
            if (choice.group.is_world()) {
                const auto root = choice.rules.front().value(where(0));
                if (root && *root >= 0 && *root < ranks_) add(*root, choice);
                continue;
            }
            for (std::int64_t rank = 0; rank < ranks_; ++rank) {
                if (choice.is_root(choice.group.within(where(rank)))) add(rank, choice);
            }
        }
    }
    return roots;
}

const trace::StoredSignature& Extrapolation::signature_of(const Choice& choice, std::int64_t round,
                                                          const Sizes& sizes) {
    trace::StoredSignature& result = signatures_.emplace_back(trace::StoredSignature{trace::Signature(choice.call)});
    trace::Parameters& call = result.signature.parameters;
    Where of_call = where(0, round);
    const Where inside = choice.group.within(of_call);
    of_call.group = inside.ranks;
    const auto parts = static_cast<std::uint64_t>(parts_in(call, inside.ranks));
    call.bytes = whole(sizes.bytes.at(of_call)) * parts;
    call.posted = whole(sizes.posted.at(of_call)) * parts;
    const auto fields = placed_fields(call);
    bool constant = !keeps_own_part(call);
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const Rule& rule = choice.rules.at(i);
        constant = constant && rule.is_constant();
        if (rule.is_constant()) *fields.at(i) = static_cast<std::int32_t>(rule.value(inside).value_or(trace::kNone));
    }
    if (!constant) {
        result.relative = trace::kPlacedBySource | static_cast<std::uint32_t>(placed_.size() << kPlacedShift);
        placed_.push_back({.choice = &choice, .round = round, .counts = {}});
    }
    if (call.counts.empty()) return result;
    const auto ranks = static_cast<std::uint64_t>(inside.ranks);
    if (keeps_own_part(call)) {
        result.signature.counts.assign(2 * ranks - 1, call.bytes / parts);
        result.signature.counts[ranks - 1] = 0;
        placed_.back().counts = result.signature.counts;
        call.counts = placed_.back().counts.first(ranks);
    } else {
        result.signature.counts.assign(ranks, call.bytes / ranks);
        call.counts = result.signature.counts;
    }
    return result;
}

/// \param recorded  position of the parts in the largest run
/// \param around  index and number of rounds of each loop around the parts, the outermost first
void Extrapolation::lay_out(Class& result, const std::vector<PartPattern>& parts, std::size_t recorded,
                            std::vector<std::pair<std::uint64_t, std::uint64_t>>& around) const {
    for (const PartPattern& part : parts) {
        if (part.is_loop()) {
            const std::int64_t count = part.count.at(ranks_, steps_);
            require(count > 0, "ranks: a loop that gets shorter would not be there on " + std::to_string(ranks_));
            const std::size_t length = recorded_length(part.body);
            for (std::uint64_t round = 0; round < static_cast<std::uint64_t>(count); ++round) {
                // Rounds beyond those of the largest run equal its last round.
                const std::uint64_t like = std::min(round, part.recorded_count - 1);
                around.emplace_back(round, static_cast<std::uint64_t>(count));
                lay_out(result, part.body, recorded + like * length, around);
                around.pop_back();
            }
            recorded += part.recorded_count * length;
            continue;
        }
        const CallPattern& call = result.pattern->calls[part.call];
        const auto [round, rounds] = number_in(around, call.growing);
        const std::uint64_t alike = call.is_by_box() ? kNumbersOfFaces : rounds;  // symbols of a choice
        if (part.call == result.first_symbols.size()) {
            result.first_symbols.push_back(static_cast<std::uint32_t>(result.symbols));
            result.symbols += call.choices.size() * alike;
        }
        const std::uint64_t choice = number_in(around, call.levels).first;
        std::uint64_t symbol = result.first_symbols[part.call] + choice * alike;
        if (call.is_by_box()) {
            result.boxes.push_back({.box = &*call.choices[choice].box, .round = static_cast<std::int64_t>(round)});
        } else {
            symbol += round;
        }
        const Where now = where(0);
        const Recording& largest = pattern_.runs.back();
        const Where then{.ranks = largest.ranks,
                         .grid = pattern_.growth.after(static_cast<unsigned>(pattern_.runs.size() - 1))};
        const double before = call.time.at(then);
        require(result.calls.size() < kMostCalls,
                "ranks: a rank of " + std::to_string(ranks_) + " would make more calls than can be replayed");
        result.calls.push_back({.symbol = static_cast<std::uint32_t>(symbol),
                                .recorded = static_cast<std::uint32_t>(recorded++),
                                .law = before > 0 ? call.time.at(now) / before : 1,
                                .box = call.is_by_box() ? static_cast<std::uint32_t>(result.boxes.size()) : 0,
                                .plain = true});
    }
}

class Extrapolation::Reader final : public trace::CallReader {
public:
    explicit Reader(const Extrapolation& of) : of_(of) {}

    [[nodiscard]] bool read(std::size_t stream, std::size_t block, trace::BlockOfCalls& calls) override {
        return of_.read(stream, block, calls);
    }

private:
    const Extrapolation& of_;
};

std::unique_ptr<trace::CallReader> Extrapolation::reader() const { return std::make_unique<Reader>(*this); }

std::uint32_t Extrapolation::faces(std::size_t stream, const SentBox& sent) const {
    return static_cast<std::uint32_t>(sent.box->faces(where(static_cast<std::int64_t>(stream), sent.round)));
}

bool Extrapolation::read(std::size_t stream, std::size_t block, trace::BlockOfCalls& calls) const {
    constexpr auto kMostGap = static_cast<double>(std::numeric_limits<std::uint32_t>::max());
    calls.calls.clear();
    calls.full.clear();
    calls.gaps_ns = calls.lengths_ns = 0;
    const Class& of = classes_[class_of_rank_[stream]];
    const std::size_t begin = block * kCallsInBlock;
    if (begin >= of.calls.size()) return false;
    const std::size_t end = std::min(begin + kCallsInBlock, of.calls.size());
    const std::vector<std::int64_t>& like = of.pattern->ranks;
    const auto& recorded = pattern_.runs.back().calls[static_cast<std::size_t>(like[stream % like.size()])];
    calls.calls.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
        const Call& call = of.calls[i];
        const std::uint32_t symbol = call.box == 0 ? call.symbol : call.symbol + faces(stream, of.boxes[call.box - 1]);
        const RecordedCall& then = recorded[call.recorded];
        const auto recorded_ns = static_cast<double>(then.gap_ns);
        const double gap_ns = call.law == 1 ? recorded_ns : std::round(recorded_ns * call.law);
        calls.gaps_ns += whole(gap_ns);
        if (call.plain && gap_ns <= kMostGap) {
            calls.calls.push_back({.gap_ns = static_cast<std::uint32_t>(gap_ns), .what = symbol << 1U});
            continue;
        }
        calls.calls.push_back({.gap_ns = 0, .what = static_cast<std::uint32_t>(calls.full.size()) << 1U | 1U});
        calls.full.push_back(
            {.symbol = symbol, .gap_ns = whole(gap_ns), .length_ns = then.length_ns, .polling_ns = then.length_ns});
        calls.lengths_ns += then.length_ns;
    }
    return true;
}

void Extrapolation::place(std::size_t stream, std::uint32_t relative, trace::Parameters& call) const {
    const Placed& placed = placed_[relative >> kPlacedShift];
    const Choice& choice = *placed.choice;
    const Where inside = choice.group.within(where(static_cast<std::int64_t>(stream), placed.round));
    std::size_t i = 0;
    for (std::int32_t* field : placed_fields(call)) {
        const Rule& rule = choice.rules.at(i++);
        if (rule.is_constant()) continue;  // The signature already has the value.
        const auto value = rule.value(inside);
        require(value.has_value(), "ranks: a rule of the smaller runs says nothing of " + std::to_string(ranks_));
        *field = static_cast<std::int32_t>(value.value_or(trace::kNone));
    }
    if (!placed.counts.empty()) {
        const auto ranks = static_cast<std::size_t>(inside.ranks);
        call.counts = placed.counts.subspan(ranks - 1 - static_cast<std::size_t>(inside.rank), ranks);
    }
    if (call.peer == trace::kProcNull) call.bytes = 0;
    if (call.source == trace::kProcNull) call.posted = 0;
}

}  // namespace waywiser::extrapolate
