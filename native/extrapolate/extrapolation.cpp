#include "extrapolate/extrapolation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.hpp"

namespace waywiser::extrapolate {

namespace {

/// Number of calls per block. It is small, because every rank has a block in memory.
constexpr std::size_t kCallsInBlock = 32;

/// Largest number of calls of a rank. A program with more calls is better extrapolated with fewer ranks or iterations.
constexpr std::uint64_t kMostCalls = std::uint64_t{1} << 26U;

constexpr std::int64_t kNoRoot = -1;

constexpr unsigned kPlacedShift = 4;  ///< shift of the number of a symbol's rules, above kPlacedBySource

/// Number of calls in the largest run.
std::size_t recorded_length(const std::vector<PartPattern>& parts) {
    std::size_t length = 0;
    for (const PartPattern& part : parts) {
        length += part.is_loop() ? part.recorded_count * recorded_length(part.body) : 1;
    }
    return length;
}

std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(std::max(value, 0.0))); }

}  // namespace

Extrapolation::Extrapolation(const Pattern& pattern, std::int64_t ranks,
                             const std::function<bool(const trace::Parameters&)>& keeps_length)
    : pattern_(pattern), ranks_(ranks) {
    const auto doublings = pattern.doublings(ranks);
    require(doublings.has_value() && ranks <= trace::kMaxRanks,
            "ranks: expected " + std::to_string(pattern.runs.front().ranks) + " times a power of two, at most " +
                std::to_string(trace::kMaxRanks) + ", found " + std::to_string(ranks));
    doublings_ = doublings.value_or(0);
    grid_ = pattern.growth.after(doublings_);
    make_job();
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const std::uint32_t number = class_of(pattern.classes, rank, grid_);
        const auto [at, added] = numbers.try_emplace(number, static_cast<std::uint32_t>(classes_.size()));
        if (added) classes_.push_back(make_class(pattern.by_class.at(number)));
        class_of_rank_.push_back(at->second);
    }
    list_of_rank_ = class_of_rank_;
    for (Class& made : classes_) {
        lists_.push_back(make_list(made, kNoRoot));
        for (Call& call : made.calls) {
            call.plain = !keeps_length(lists_.back()[call.symbol]->signature.parameters);
        }
    }
    for (std::uint32_t number = 0; number < classes_.size(); ++number) {
        for (const std::int64_t root : roots_of(*classes_[number].pattern)) {
            if (class_of_rank_[static_cast<std::size_t>(root)] != number) continue;
            list_of_rank_[static_cast<std::size_t>(root)] = static_cast<std::uint32_t>(lists_.size());
            lists_.push_back(make_list(classes_[number], root));
        }
    }
    for (std::size_t rank = 0; rank < class_of_rank_.size(); ++rank) {
        job_.streams[rank].calls = job_.streams[rank].events = classes_[class_of_rank_[rank]].calls.size();
    }
}

void Extrapolation::make_job() {
    const Recording& largest = pattern_.runs.back();
    job_.world_size = ranks_;
    job_.library = largest.library;
    job_.functions = pattern_.vocabulary.functions;
    job_.call_sites = pattern_.vocabulary.call_sites;
    job_.hosts = {{.host = "extrapolated"}};
    std::vector<std::uint32_t> objects;
    for (std::size_t number = 0; number < largest.objects.size(); ++number) {
        objects.push_back(static_cast<std::uint32_t>(number));
        job_.objects.push_back({.context = number + 1,
                                .size = ranks_,
                                .name = {},
                                .members = {{.first = 0, .stride = 1, .count = ranks_}},
                                .own_group = {}});
    }
    job_.ranks.reserve(static_cast<std::size_t>(ranks_));
    job_.streams.resize(static_cast<std::size_t>(ranks_));
    for (std::int64_t rank = 0; rank < ranks_; ++rank) {
        job_.ranks.push_back({.rank = rank, .objects = objects, .ending = trace::Ending::finalised});
        job_.streams[static_cast<std::size_t>(rank)].rank = rank;
    }
}

Extrapolation::Class Extrapolation::make_class(const ClassPattern& pattern) const {
    Class made;
    made.pattern = &pattern;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> around;
    lay_out(made, pattern.parts, 0, around);
    return made;
}

/// \param rank  kNoRoot: any rank that is the root of no collective
Extrapolation::List Extrapolation::make_list(const Class& of, std::int64_t rank) {
    List list(of.symbols, nullptr);
    for (std::size_t place = 0; place < of.first_symbols.size(); ++place) {
        const CallPattern& call = of.pattern->calls[place];
        const std::size_t first = of.first_symbols[place];
        const std::size_t end = place + 1 < of.first_symbols.size() ? of.first_symbols[place + 1] : of.symbols;
        for (std::size_t symbol = first; symbol < end; ++symbol) {
            const std::size_t number = symbol - first;
            const Where where{.rank = rank,
                              .ranks = ranks_,
                              .round = call.by_round ? static_cast<std::int64_t>(number) : 0,
                              .grid = grid_};
            list[symbol] = &signature_of(call.choices[call.by_round ? 0 : number], where);
        }
    }
    return list;
}

/// Ranks whose sizes differ from those of the other ranks of their class.
std::vector<std::int64_t> Extrapolation::roots_of(const ClassPattern& pattern) const {
    std::set<std::int64_t> roots;
    for (const CallPattern& call : pattern.calls) {
        for (const Choice& choice : call.choices) {
            if (!choice.at_root) continue;
            const auto root = choice.rules.front().value({.ranks = ranks_, .grid = grid_});
            if (root && *root >= 0 && *root < ranks_) roots.insert(*root);
        }
    }
    return {roots.begin(), roots.end()};
}

const trace::StoredSignature& Extrapolation::signature_of(const Choice& choice, const Where& where) {
    trace::StoredSignature& made = signatures_.emplace_back(trace::StoredSignature{trace::Signature(choice.call)});
    trace::Parameters& call = made.signature.parameters;
    const Sizes& sizes = choice.sizes_at(where);
    call.bytes = whole(sizes.bytes.at(where));
    call.posted = whole(sizes.posted.at(where));
    if (!call.counts.empty()) {
        const auto ranks = static_cast<std::uint64_t>(ranks_);
        made.signature.counts.assign(ranks, call.bytes / ranks);
        call.counts = made.signature.counts;
    }
    const auto fields = placed_fields(call);
    bool constant = true;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const Rule& rule = choice.rules.at(i);
        constant = constant && rule.is_constant();
        if (rule.is_constant()) *fields.at(i) = static_cast<std::int32_t>(rule.value(where).value_or(trace::kNone));
    }
    if (!constant) {
        made.relative = trace::kPlacedBySource | static_cast<std::uint32_t>(placed_.size() << kPlacedShift);
        placed_.push_back({.rules = &choice.rules, .round = where.round});
    }
    return made;
}

/// \param recorded  position of the parts in the largest run
/// \param around  index and number of the round of each loop around the parts, the outermost first
void Extrapolation::lay_out(Class& made, const std::vector<PartPattern>& parts, std::size_t recorded,
                            std::vector<std::pair<std::uint64_t, std::uint64_t>>& around) const {
    for (const PartPattern& part : parts) {
        if (part.is_loop()) {
            const std::int64_t count = part.count.at(ranks_, doublings_);
            require(count > 0, "ranks: a loop that gets shorter would not be there on " + std::to_string(ranks_));
            const std::size_t length = recorded_length(part.body);
            for (std::uint64_t round = 0; round < static_cast<std::uint64_t>(count); ++round) {
                // Rounds beyond those of the largest run equal its last round.
                const std::uint64_t like = std::min(round, part.recorded_count - 1);
                around.emplace_back(round, static_cast<std::uint64_t>(count));
                lay_out(made, part.body, recorded + like * length, around);
                around.pop_back();
            }
            recorded += part.recorded_count * length;
            continue;
        }
        const CallPattern& call = made.pattern->calls[part.call];
        if (part.call == made.first_symbols.size()) {
            made.first_symbols.push_back(static_cast<std::uint32_t>(made.symbols));
            made.symbols += call.by_round ? around.back().second : call.choices.size();
        }
        std::uint64_t choice = 0;
        std::uint64_t period = 1;
        for (auto level = around.rbegin(); level != around.rend() && (call.by_round || call.choices.size() > period);
             ++level) {
            choice += period * level->first;
            period *= level->second;
            if (call.by_round) break;
        }
        const Where now{.ranks = ranks_, .grid = grid_};
        const Recording& largest = pattern_.runs.back();
        const Where then{.ranks = largest.ranks,
                         .grid = pattern_.growth.after(static_cast<unsigned>(pattern_.runs.size() - 1))};
        const double before = call.time.at(then);
        require(made.calls.size() < kMostCalls,
                "ranks: a rank of " + std::to_string(ranks_) + " would make more calls than can be replayed");
        made.calls.push_back({.symbol = made.first_symbols[part.call] + static_cast<std::uint32_t>(choice),
                              .recorded = static_cast<std::uint32_t>(recorded++),
                              .law = before > 0 ? call.time.at(now) / before : 1,
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
        const RecordedCall& then = recorded[call.recorded];
        const auto recorded_ns = static_cast<double>(then.gap_ns);
        const double gap_ns = call.law == 1 ? recorded_ns : std::round(recorded_ns * call.law);
        calls.gaps_ns += whole(gap_ns);
        if (call.plain && gap_ns <= kMostGap) {
            calls.calls.push_back({.gap_ns = static_cast<std::uint32_t>(gap_ns), .what = call.symbol << 1U});
            continue;
        }
        calls.calls.push_back({.gap_ns = 0, .what = static_cast<std::uint32_t>(calls.full.size()) << 1U | 1U});
        calls.full.push_back({.symbol = call.symbol,
                              .gap_ns = whole(gap_ns),
                              .length_ns = then.length_ns,
                              .polling_ns = then.length_ns});
        calls.lengths_ns += then.length_ns;
    }
    return true;
}

void Extrapolation::place(std::size_t stream, std::uint32_t relative, trace::Parameters& call) const {
    const Placed& placed = placed_[relative >> kPlacedShift];
    const Where where{.rank = static_cast<std::int64_t>(stream), .ranks = ranks_, .round = placed.round, .grid = grid_};
    std::size_t i = 0;
    for (std::int32_t* field : placed_fields(call)) {
        const Rule& rule = placed.rules->at(i++);
        if (rule.is_constant()) continue;  // The signature already has the value.
        const auto value = rule.value(where);
        require(value.has_value(), "ranks: a rule of the smaller runs says nothing of " + std::to_string(ranks_));
        *field = static_cast<std::int32_t>(value.value_or(trace::kNone));
    }
    if (call.peer == trace::kProcNull) call.bytes = 0;
    if (call.source == trace::kProcNull) call.posted = 0;
}

}  // namespace waywiser::extrapolate
