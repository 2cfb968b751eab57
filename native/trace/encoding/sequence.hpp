/// Call sequences of all streams as rules: equal streams, or equal parts of streams, share one rule.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/encoding/codec.hpp"
#include "trace/encoding/fold.hpp"

namespace waywiser::trace {

/// Collects the rules of folded streams.
class RuleTable {
public:
    /// \param rules  result of Fold::finish; at least one
    /// \return the number of the last one in the table
    std::uint32_t add(std::vector<std::vector<Repeated>> rules);

    /// \param body  symbols, which refer to rules of the table
    std::uint32_t add_rule(const std::vector<Repeated>& body);

    [[nodiscard]] std::string encode() const;

private:
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<const std::string*> rules_;
};

/// Rules that can be unfolded.
class Rules {
public:
    Rules() = default;

    /// \throws Error  if RuleTable::encode cannot have made the bytes
    explicit Rules(std::string_view bytes);

    [[nodiscard]] std::size_t size() const { return lengths_.size(); }
    [[nodiscard]] std::uint64_t length(std::uint32_t rule) const { return lengths_[rule]; }
    [[nodiscard]] std::uint64_t length(const Repeated& repeated) const;
    [[nodiscard]] const Repeated* begin(std::uint32_t rule) const { return nodes_.data() + begins_[rule]; }
    [[nodiscard]] const Repeated* end(std::uint32_t rule) const { return nodes_.data() + begins_[rule + 1]; }

private:
    /// \return the rule's replacement: a rule of one part is that part
    [[nodiscard]] Repeated resolved(const Repeated& repeated) const;

    std::vector<Repeated> nodes_;
    std::vector<std::size_t> begins_{0};
    std::vector<std::uint64_t> lengths_;  ///< unfolded lengths of the rules
};

/// Unfolds a rule in pieces of some numbers each.
class Unfold {
public:
    /// A sequence of numbers, and its number of repetitions.
    struct Run {
        std::span<const std::uint32_t> numbers;
        std::uint64_t times;
    };

    explicit Unfold(const Rules& rules) : rules_(&rules) {}

    /// Starts a rule after its first `passed` numbers.
    void start(std::uint32_t rule, std::uint64_t passed);

    /// \return at least one number; none at the end. The result is valid until the next call.
    [[nodiscard]] Run next();

private:
    static constexpr std::size_t kMost = 512;
    static constexpr std::size_t kFew = 16;  ///< shorter sequences get no run of their own

    struct Place {
        const Repeated* at;
        const Repeated* end;
        std::uint64_t left;  ///< repetitions of `at` that have not started
    };

    void enter(std::uint32_t rule) {
        places_.push_back({rules_->begin(rule), rules_->end(rule), rules_->begin(rule)->count});
    }

    void add(const Repeated& repeated);

    const Rules* rules_;
    std::vector<Place> places_;
    std::array<std::uint32_t, kMost> numbers_{};
    std::size_t filled_ = 0;
};

}  // namespace waywiser::trace
