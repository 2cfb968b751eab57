#include "trace/encoding/fold.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace waywiser::trace {
namespace {

constexpr std::uint32_t kNothing = 0xFFFFFFFFU;      ///< marks the absence of a node
constexpr std::uint32_t kGuardSymbol = 0xFFFFFFFEU;  ///< a guard's count is the number of its rule
constexpr std::uint32_t kFreeSymbol = 0xFFFFFFFFU;
constexpr std::size_t kFirstTable = 256;

}  // namespace

Fold::Fold() : table_(kFirstTable, kNothing) { new_rule(); }

Fold::Index Fold::new_node(Repeated repeated, Index previous, Index next) {
    Index node = static_cast<Index>(nodes_.size());
    if (free_nodes_.empty()) {
        nodes_.push_back({repeated, previous, next});
    } else {
        node = free_nodes_.back();
        free_nodes_.pop_back();
        nodes_[node] = {repeated, previous, next};
    }
    ++live_nodes_;
    return node;
}

void Fold::free_node(Index node) {
    nodes_[node].repeated.symbol = kFreeSymbol;
    free_nodes_.push_back(node);
    --live_nodes_;
}

void Fold::use(Repeated repeated, int change) {
    if (repeated.is_rule()) rules_[repeated.value()].uses += static_cast<std::uint32_t>(change);
}

Fold::Index Fold::new_rule() {
    Index rule = static_cast<Index>(rules_.size());
    if (free_rules_.empty()) {
        rules_.emplace_back();
    } else {
        rule = free_rules_.back();
        free_rules_.pop_back();
    }
    const Index guard = new_node({.symbol = kGuardSymbol, .count = rule}, 0, 0);
    nodes_[guard].previous = nodes_[guard].next = guard;
    rules_[rule] = {.guard = guard, .uses = 0};
    return rule;
}

void Fold::free_rule(Index rule) {
    free_node(rules_[rule].guard);
    free_rules_.push_back(rule);
}

bool Fold::is_guard(Index node) const { return nodes_[node].repeated.symbol == kGuardSymbol; }

Fold::Index Fold::last() const { return nodes_[rules_[0].guard].previous; }

void Fold::append(std::uint32_t number) {
    const std::uint32_t symbol = number << 1U;
    if (!expected_.empty()) {
        if (nodes_[expected_.back().node].repeated.symbol == symbol) return step();
        give_up_expectation();
    }
    if (expect_rest(symbol)) return step();
    add({.symbol = symbol, .count = 1});
    expect_again();
}

/// Appends a symbol. The pair that ends with the last node is examined only when that node cannot grow any more.
void Fold::add(Repeated repeated) {
    const Index guard = rules_[0].guard;
    const Index tail = last();
    if (tail != guard && nodes_[tail].repeated.symbol == repeated.symbol) {
        nodes_[tail].repeated.count += repeated.count;
        return;
    }
    const Index node = new_node(repeated, tail, guard);
    nodes_[tail].next = nodes_[guard].previous = node;
    use(repeated, 1);
    pending_.push_back(nodes_[tail].previous);
    reduce();
}

void Fold::reduce() {
    while (!pending_.empty()) {
        const Index left = pending_.back();
        pending_.pop_back();
        check(left);
    }
}

void Fold::check(Index left) {
    if (nodes_[left].repeated.symbol == kFreeSymbol || is_guard(left)) return;
    const Index right = nodes_[left].next;
    if (is_guard(right)) return;
    if (nodes_[left].repeated.symbol == nodes_[right].repeated.symbol) return join(left);
    if (right == last()) return;
    const Index equal_pair = find_or_insert(left);
    if (equal_pair != left) match(left, equal_pair);
}

/// The rule whose entire body is the pair that starts with `left`; 0: none.
Fold::Index Fold::rule_that_is(Index left) const {
    const Index before = nodes_[left].previous;
    return is_guard(before) && is_guard(nodes_[nodes_[left].next].next)
               ? static_cast<Index>(nodes_[before].repeated.count)
               : 0;
}

void Fold::match(Index left, Index equal_pair) {
    if (rule_that_is(equal_pair) == 0 && rule_that_is(left) != 0) std::swap(left, equal_pair);
    Index rule = rule_that_is(equal_pair);
    if (rule == 0) {
        rule = rule_of_pair(equal_pair);
        replace(equal_pair, rule);
    }
    replace(left, rule);
    const Index guard = rules_[rule].guard;
    (void)find_or_insert(nodes_[guard].next);
    expand_if_used_once(nodes_[guard].next);
    expand_if_used_once(nodes_[guard].previous);
}

Fold::Index Fold::rule_of_pair(Index left) {
    const Repeated a = nodes_[left].repeated;
    const Repeated b = nodes_[nodes_[left].next].repeated;
    const Index rule = new_rule();
    const Index guard = rules_[rule].guard;
    const Index first = new_node(a, guard, guard);
    const Index second = new_node(b, first, guard);
    nodes_[first].next = nodes_[guard].previous = second;
    nodes_[guard].next = first;
    use(a, 1);
    use(b, 1);
    return rule;
}

/// Replaces a pair by a rule.
void Fold::replace(Index left, Index rule) {
    const Index right = nodes_[left].next;
    const Index previous = nodes_[left].previous;
    forget(previous);
    forget(left);
    forget(right);
    const Repeated single{.symbol = rule << 1U | 1U, .count = 1};
    use(nodes_[left].repeated, -1);
    nodes_[left].repeated = single;
    use(single, 1);
    unlink(right);
    pending_.push_back(left);
    pending_.push_back(previous);
}

/// Expands a rule that occurs only once and without repetition, since such a rule saves nothing.
void Fold::expand_if_used_once(Index node) {
    const Repeated repeated = nodes_[node].repeated;
    if (is_guard(node) || !repeated.is_rule() || repeated.count != 1 || rules_[repeated.value()].uses != 1) return;
    const Index previous = nodes_[node].previous;
    const Index next = nodes_[node].next;
    const Index guard = rules_[repeated.value()].guard;
    const Index first = nodes_[guard].next;
    const Index end = nodes_[guard].previous;
    forget(previous);
    forget(node);
    nodes_[previous].next = first;
    nodes_[first].previous = previous;
    nodes_[next].previous = end;
    nodes_[end].next = next;
    free_node(node);
    free_rule(repeated.value());
    pending_.push_back(end);
    pending_.push_back(previous);
}

/// Merges neighbours with the same symbol into one node.
void Fold::join(Index left) {
    const Index right = nodes_[left].next;
    const Index previous = nodes_[left].previous;
    forget(previous);
    forget(left);
    forget(right);
    nodes_[left].repeated.count += nodes_[right].repeated.count;
    unlink(right);
    pending_.push_back(left);
    pending_.push_back(previous);
}

void Fold::unlink(Index node) {
    const auto& [repeated, previous, next] = nodes_[node];
    use(repeated, -1);
    nodes_[previous].next = next;
    nodes_[next].previous = previous;
    free_node(node);
}

std::uint64_t Fold::slot_of(Index left) const {
    const Repeated& a = nodes_[left].repeated;
    const Repeated& b = nodes_[nodes_[left].next].repeated;
    std::uint64_t hash = a.symbol;
    for (const std::uint64_t part : {a.count, std::uint64_t{b.symbol}, b.count}) {
        hash = (hash ^ part) * kGolden;
        hash ^= hash >> 29U;
    }
    return hash & (table_.size() - 1);
}

bool Fold::same_pair(Index a, Index b) const {
    return nodes_[a].repeated == nodes_[b].repeated &&
           nodes_[nodes_[a].next].repeated == nodes_[nodes_[b].next].repeated;
}

/// The slot of the pair that starts with `left`, or the slot where it would be inserted.
std::uint64_t Fold::slot_of_pair(Index left) const {
    std::uint64_t slot = slot_of(left);
    while (table_[slot] != kNothing && !same_pair(table_[slot], left)) slot = (slot + 1) & (table_.size() - 1);
    return slot;
}

/// \return the left node of an equal pair, or `left`, which has then been inserted
Fold::Index Fold::find_or_insert(Index left) {
    if (2 * (pairs_ + 1) > table_.size()) grow_table();
    const std::uint64_t slot = slot_of_pair(left);
    if (table_[slot] != kNothing) return table_[slot];
    table_[slot] = left;
    ++pairs_;
    return left;
}

/// Removes the pair that starts with `left` from the table if the table's entry is this pair.
void Fold::forget(Index left) {
    if (is_guard(left) || is_guard(nodes_[left].next)) return;
    const std::uint64_t mask = table_.size() - 1;
    std::uint64_t slot = slot_of(left);
    while (table_[slot] != left) {
        if (table_[slot] == kNothing) return;
        slot = (slot + 1) & mask;
    }
    --pairs_;
    // Entries that follow without a gap move up, so that searches still find them (Knuth, TAOCP 3, 6.4, algorithm R).
    for (std::uint64_t hole = slot;;) {
        table_[hole] = kNothing;
        std::uint64_t next = hole;
        std::uint64_t home = 0;
        do {
            next = (next + 1) & mask;
            if (table_[next] == kNothing) return;
            home = slot_of(table_[next]);
        } while (((next - home) & mask) < ((next - hole) & mask));
        table_[hole] = table_[next];
        hole = next;
    }
}

void Fold::grow_table() {
    const std::vector<Index> before = std::move(table_);
    table_.assign(2 * before.size(), kNothing);
    for (const Index left : before) {
        if (left == kNothing) continue;
        std::uint64_t slot = slot_of(left);
        while (table_[slot] != kNothing) slot = (slot + 1) & (table_.size() - 1);
        table_[slot] = left;
    }
}

/// Expects a rule at the end of the sequence to be repeated, so that a loop costs only comparisons.
void Fold::expect_again() {
    const Repeated tail = nodes_[last()].repeated;
    if (last() == rules_[0].guard || !tail.is_rule()) return;
    expected_rule_ = tail.value();
    expected_.push_back({nodes_[rules_[expected_rule_].guard].next, 0});
    descend();
}

/// If the sequence ends as a rule starts and continues like that rule, the rest of the rule will likely follow.
/// Expecting the rest avoids a rule for each longer part of it.
bool Fold::expect_rest(std::uint32_t symbol) {
    const Index second = last();
    const Index first = nodes_[second].previous;
    if (is_guard(second) || is_guard(first)) return false;
    const Index equal_pair = table_[slot_of_pair(first)];
    if (equal_pair == kNothing || !is_guard(nodes_[equal_pair].previous)) return false;
    const auto rule = static_cast<Index>(nodes_[nodes_[equal_pair].previous].repeated.count);
    const Index third = nodes_[nodes_[equal_pair].next].next;
    if (rule == 0 || is_guard(third) || first_number(third) != symbol) return false;
    const Index before = nodes_[first].previous;
    forget(nodes_[before].previous);
    forget(before);
    unlink(second);
    unlink(first);
    expected_rule_ = rule;
    expected_.push_back({third, 0});
    descend();
    return true;
}

std::uint32_t Fold::first_number(Index node) const {
    Repeated at = nodes_[node].repeated;
    while (at.is_rule()) at = nodes_[nodes_[rules_[at.value()].guard].next].repeated;
    return at.symbol;
}

/// Descends to the first number of the innermost place.
void Fold::descend() {
    for (Repeated at = nodes_[expected_.back().node].repeated; at.is_rule();
         at = nodes_[expected_.back().node].repeated) {
        expected_.push_back({nodes_[rules_[at.value()].guard].next, 0});
    }
}

void Fold::step() {
    while (true) {
        Place& place = expected_.back();
        if (++place.passed < nodes_[place.node].repeated.count) return descend();
        place = {nodes_[place.node].next, 0};
        if (!is_guard(place.node)) return descend();
        expected_.pop_back();
        if (expected_.empty()) break;
    }
    add({.symbol = expected_rule_ << 1U | 1U, .count = 1});
    expect_again();
}

/// Appends the part of the rule that has occurred, with the rule's own structure.
void Fold::give_up_expectation() {
    std::vector<Repeated> came;
    for (const auto& [end, passed] : expected_) {
        Index first = end;
        while (!is_guard(nodes_[first].previous)) first = nodes_[first].previous;
        for (Index node = first; node != end; node = nodes_[node].next) came.push_back(nodes_[node].repeated);
        if (passed > 0) came.push_back({.symbol = nodes_[end].repeated.symbol, .count = passed});
    }
    expected_.clear();
    for (const Repeated& repeated : came) use(repeated, 1);  // This keeps the rules.
    for (const Repeated& repeated : came) {
        add(repeated);
        use(repeated, -1);
    }
}

std::vector<std::vector<Repeated>> Fold::finish() {
    if (!expected_.empty()) give_up_expectation();
    std::vector<std::vector<Repeated>> bodies;
    if (last() == rules_[0].guard) return bodies;
    // Rules that others refer to are numbered first, by a depth-first search without recursion.
    std::vector<std::uint32_t> number(rules_.size(), kNothing);
    std::vector<Place> open{{nodes_[rules_[0].guard].next, 0}};
    while (!open.empty()) {
        const Index node = open.back().node;
        if (is_guard(node)) {
            const auto rule = static_cast<Index>(nodes_[node].repeated.count);
            std::vector<Repeated>& body = bodies.emplace_back();
            for (Index part = nodes_[node].next; part != node; part = nodes_[part].next) {
                Repeated repeated = nodes_[part].repeated;
                if (repeated.is_rule()) repeated.symbol = number[repeated.value()] << 1U | 1U;
                body.push_back(repeated);
            }
            number[rule] = static_cast<std::uint32_t>(bodies.size() - 1);
            open.pop_back();
            continue;
        }
        const Repeated repeated = nodes_[node].repeated;
        open.back().node = nodes_[node].next;
        if (repeated.is_rule() && number[repeated.value()] == kNothing) {
            open.push_back({nodes_[rules_[repeated.value()].guard].next, 0});
        }
    }
    return bodies;
}

}  // namespace waywiser::trace
