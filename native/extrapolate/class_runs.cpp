#include "extrapolate/class_runs.hpp"

#include <algorithm>
#include <map>

namespace waywiser::extrapolate {
namespace {

std::vector<std::uint32_t> symbols_of(const Recording& run, std::int64_t rank) {
    std::vector<std::uint32_t> symbols;
    const auto& calls = run.calls[static_cast<std::size_t>(rank)];
    symbols.reserve(calls.size());
    for (const RecordedCall& call : calls) symbols.push_back(run.forms[call.form].symbol);
    return symbols;
}

/// Distinguishes calls of a symbol with different partners, by numbers in the order in which the rank has them first.
/// These numbers are the same on all ranks that do the same.
void add_partners(const Recording& run, std::int64_t rank, std::size_t number_of_symbols,
                  std::vector<std::uint32_t>& symbols) {
    std::map<std::uint32_t, std::vector<std::pair<std::int32_t, std::int32_t>>> partners;  // by symbol
    const auto& calls = run.calls[static_cast<std::size_t>(rank)];
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const trace::Parameters& call = run.forms[calls[i].form].signature.parameters;
        auto& known = partners[symbols[i]];
        const std::pair partner(call.peer, call.source);
        const auto position = std::ranges::find(known, partner);
        symbols[i] +=
            static_cast<std::uint32_t>(number_of_symbols * static_cast<std::size_t>(position - known.begin()));
        if (position == known.end()) known.push_back(partner);
    }
}

void number_places(const std::vector<Part>& parts, std::vector<std::uint64_t>& around,
                   std::vector<Occurrences>& places) {
    for (const Part& part : parts) {
        if (!part.is_loop()) {
            places.push_back({.positions = {}, .counts = {around.rbegin(), around.rend()}});
            continue;
        }
        around.push_back(part.count);
        number_places(part.body, around, places);
        around.pop_back();
    }
}

/// \param place  place of the first part
/// \return the place after them
std::size_t pass(const std::vector<Part>& parts, std::size_t place, std::size_t& position,
                 std::vector<Occurrences>& places) {
    for (const Part& part : parts) {
        if (!part.is_loop()) {
            places[place++].positions.push_back(position++);
            continue;
        }
        std::size_t after = place;
        for (std::uint64_t i = 0; i < part.count; ++i) after = pass(part.body, place, position, places);
        place = after;
    }
    return place;
}

}  // namespace

std::size_t Occurrences::index(std::span<const std::size_t> levels, std::uint64_t number) const {
    std::uint64_t at = 0;
    std::uint64_t stride = 1;
    auto next = levels.begin();
    for (std::size_t level = 0; level < counts.size(); ++level) {
        if (next != levels.end() && *next == level) {
            at += number % counts[level] * stride;
            number /= counts[level];
            ++next;
        }
        stride *= counts[level];
    }
    return at;
}

std::vector<Occurrences> occurrences_of(const std::vector<Part>& parts) {
    std::vector<Occurrences> places;
    std::vector<std::uint64_t> around;
    number_places(parts, around, places);
    std::size_t position = 0;
    pass(parts, 0, position, places);
    return places;
}

RunLoops::RunLoops(const Recording& run, const Vocabulary& vocabulary, Rounds rounds) {
    std::map<std::vector<std::uint32_t>, std::size_t> numbers;
    for (std::int64_t rank = 0; rank < run.ranks; ++rank) {
        std::vector<std::uint32_t> symbols = symbols_of(run, rank);
        if (rounds == Rounds::same_partners) add_partners(run, rank, vocabulary.symbols.size(), symbols);
        const auto [at, added] = numbers.try_emplace(std::move(symbols), trees_.size());
        if (added) trees_.push_back(loops_of(at->first));
        tree_of_.push_back(at->second);
    }
}

std::string first_difference(const Recording& first, std::int64_t first_rank, const Recording& second,
                             std::int64_t second_rank, const Vocabulary& vocabulary) {
    const auto& a = first.calls[static_cast<std::size_t>(first_rank)];
    const auto& b = second.calls[static_cast<std::size_t>(second_rank)];
    std::size_t i = 0;
    const auto symbol = [](const Recording& run, const RecordedCall& call) { return run.forms[call.form].symbol; };
    while (i < a.size() && i < b.size() && symbol(first, a[i]) == symbol(second, b[i])) ++i;
    if (i == a.size() && i == b.size()) {
        return "rank " + std::to_string(first_rank) + " of " + std::to_string(first.ranks) + " and rank " +
               std::to_string(second_rank) + " of " + std::to_string(second.ranks) +
               " change their partners in another order";
    }
    const auto say = [&](const Recording& run, const auto& calls) {
        return i < calls.size() ? vocabulary.name(run.forms[calls[i].form].signature.parameters) : "nothing more";
    };
    return "call " + std::to_string(i + 1) + " is " + say(first, a) + " of rank " + std::to_string(first_rank) +
           " of " + std::to_string(first.ranks) + ", but " + say(second, b) + " of rank " +
           std::to_string(second_rank) + " of " + std::to_string(second.ranks);
}

}  // namespace waywiser::extrapolate
