#include "trace/encoding/sequence.hpp"

#include <algorithm>
#include <limits>

namespace waywiser::trace {
namespace {

/// A count takes as many bytes for 10^3 as for 10^8 iterations, so that a longer run has no larger file.
constexpr unsigned kCountBytes = 4;

void encode_count(std::uint64_t count, Encoder& out) {
    if (count < 128) return out.integer(count);
    out.padded_integer(count, kCountBytes);
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    if (a != 0 && b > std::numeric_limits<std::uint64_t>::max() / a) throw Error("has an impossible number of calls");
    return a * b;
}

}  // namespace

std::uint32_t RuleTable::add(std::vector<std::vector<Repeated>> rules) {
    std::vector<Repeated> numbers;  // replacement of each rule: a rule of the table, or the rule's only symbol
    for (std::vector<Repeated>& body : rules) {
        for (Repeated& repeated : body) {
            if (!repeated.is_rule()) continue;
            const Repeated& known = numbers[repeated.value()];
            repeated = {.symbol = known.symbol, .count = repeated.count * known.count};
        }
        const bool whole = &body == &rules.back();
        if (body.size() == 1 && !whole) {
            numbers.push_back(body.front());
        } else {
            numbers.push_back({.symbol = add_rule(body) << 1U | 1U, .count = 1});
        }
    }
    return numbers.back().value();
}

std::uint32_t RuleTable::add_rule(const std::vector<Repeated>& body) {
    Encoder bytes;
    bytes.integer(body.size());
    for (const Repeated& repeated : body) {
        bytes.integer(std::uint64_t{repeated.symbol} << 1U | (repeated.count > 1 ? 1U : 0U));
        if (repeated.count > 1) encode_count(repeated.count, bytes);
    }
    const auto [at, added] = numbers_.try_emplace(bytes.bytes(), rules_.size());
    if (added) rules_.push_back(&at->first);
    return at->second;
}

std::string RuleTable::encode() const {
    Encoder count;
    count.integer(rules_.size());
    std::string bytes = count.bytes();
    for (const std::string* rule : rules_) bytes += *rule;
    return bytes;
}

Rules::Rules(std::string_view bytes) {
    Decoder in(bytes);
    const std::uint64_t n = in.count();
    for (std::uint32_t rule = 0; rule < n; ++rule) {
        std::uint64_t length_of_rule = 0;
        const std::uint64_t parts = in.count();
        if (parts == 0) throw Error("has a rule of nothing");
        for (std::uint64_t i = 0; i < parts; ++i) {
            const std::uint64_t head = in.integer();
            Repeated repeated{.symbol = static_cast<std::uint32_t>(head >> 1U), .count = 1};
            if ((head & 1U) != 0) repeated.count = in.integer();
            if (head >> 33U != 0 || repeated.count == 0) throw Error("has a rule that is none");
            if (repeated.is_rule() && repeated.value() >= rule) throw Error("has a rule that refers to a later one");
            repeated = resolved(repeated);
            const std::uint64_t added = length(repeated);
            if (length_of_rule + added < added) throw Error("has an impossible number of calls");
            length_of_rule += added;
            nodes_.push_back(repeated);
        }
        begins_.push_back(nodes_.size());
        lengths_.push_back(length_of_rule);
    }
}

Repeated Rules::resolved(const Repeated& repeated) const {
    if (!repeated.is_rule() || end(repeated.value()) - begin(repeated.value()) > 1) return repeated;
    const Repeated& only = *begin(repeated.value());
    return {.symbol = only.symbol, .count = times(repeated.count, only.count)};
}

std::uint64_t Rules::length(const Repeated& repeated) const {
    return times(repeated.count, repeated.is_rule() ? lengths_[repeated.value()] : 1);
}

void Unfold::start(std::uint32_t rule, std::uint64_t passed) {
    places_.clear();
    if (passed >= rules_->length(rule)) return;
    for (enter(rule);;) {
        Place& place = places_.back();
        for (; passed >= rules_->length(*place.at); ++place.at) passed -= rules_->length(*place.at);
        const Repeated at = *place.at;
        const std::uint64_t length = at.is_rule() ? rules_->length(at.value()) : 1;
        place.left = at.count - passed / length;
        passed %= length;
        if (passed == 0) return;
        --place.left;
        enter(at.value());
    }
}

Unfold::Run Unfold::next() {
    filled_ = 0;
    while (!places_.empty()) {
        Place& place = places_.back();
        const std::uint32_t symbol = place.at->symbol;
        const std::uint64_t length = rules_->length({.symbol = symbol, .count = 1});
        if (place.left == 0) {
            if (++place.at == place.end) {
                places_.pop_back();
            } else {
                place.left = place.at->count;
            }
        } else if (place.left <= (kMost - filled_) / length) {
            add({.symbol = symbol, .count = place.left});
            place.left = 0;
        } else if (filled_ > 0) {
            break;
        } else if (length <= kMost) {
            const std::uint64_t together = std::max<std::uint64_t>(kFew / length, 1);
            add({.symbol = symbol, .count = together});
            const Run run{.numbers = {numbers_.data(), filled_}, .times = place.left / together};
            place.left %= together;
            return run;
        } else {
            --place.left;
            enter(symbol >> 1U);
        }
    }
    return {.numbers = {numbers_.data(), filled_}, .times = 1};
}

/// Recurses to a bounded depth, because a part of a rule has fewer numbers than the rule.
void Unfold::add(const Repeated& repeated) {
    const std::size_t begin = filled_;
    if (repeated.is_rule()) {
        for (const Repeated* part = rules_->begin(repeated.value()); part != rules_->end(repeated.value()); ++part) {
            add(*part);
        }
    } else {
        numbers_[filled_++] = repeated.value();
    }
    const std::size_t length = filled_ - begin;
    for (std::uint64_t i = 1; i < repeated.count; ++i, filled_ += length) {
        std::copy_n(numbers_.data() + begin, length, numbers_.data() + filled_);
    }
}

}  // namespace waywiser::trace
