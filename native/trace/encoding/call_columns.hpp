/// Data of a stream's calls that their signatures do not hold, as bits: times, and parameters that vary.
///
/// Every value is coded relative to earlier values of the same context. The context of a time is the call and its
/// predecessor, the context of a parameter is its signature. Contexts are reset with each block. `Bits` is BitWriter or
/// BitReader: a value is written or set.
#pragma once

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "trace/encoding/bits.hpp"
#include "trace/encoding/trace_tables.hpp"

namespace waywiser::trace {

/// Numbers that stay near a median.
class Number {
public:
    template <class Bits>
    void code(Bits& bits, std::uint64_t& value) {
        const unsigned k = order_.bits();
        std::uint64_t zigzag = zigzag_of(value);
        bits.code(k, zigzag);
        value = take(zigzag, k);
    }

private:
    friend struct CallTimes;

    /// Zigzag code of the value's difference from the median.
    [[nodiscard]] std::uint64_t zigzag_of(std::uint64_t value) const {
        const std::uint64_t difference = value - median_;
        return difference << 1U ^ (0 - (difference >> 63U));
    }

    /// \return the value
    std::uint64_t take(std::uint64_t zigzag, unsigned k) {
        const std::uint64_t sign = 0 - (zigzag & 1U);
        const std::uint64_t value = median_ + (zigzag >> 1U ^ sign);
        if (started_) {
            // Limits the influence of one outlier on the step.
            const std::uint64_t distance = (zigzag >> 1U) + (zigzag & 1U);
            const std::uint64_t step = std::min(distance, std::uint64_t{1} << k) / 8;
            median_ += (step ^ sign) - sign;
        } else {
            median_ = value;
            started_ = true;
        }
        order_.learn(zigzag);
        return value;
    }

    AdaptiveOrder order_;
    bool started_ = false;
    std::uint64_t median_ = 0;
};

/// Times of calls, each with the time since the preceding call and the length.
struct CallTimes {
    Number gap;
    Number length;

    template <class Bits>
    void code(Bits& bits, std::uint64_t& gap_ns, std::uint64_t& length_ns) {
        const unsigned gap_k = gap.order_.bits();
        const unsigned length_k = length.order_.bits();
        std::uint64_t gap_zigzag = gap.zigzag_of(gap_ns);
        std::uint64_t length_zigzag = length.zigzag_of(length_ns);
        bits.code_two(gap_k, gap_zigzag, length_k, length_zigzag);
        gap_ns = gap.take(gap_zigzag, gap_k);
        length_ns = length.take(length_zigzag, length_k);
    }
};

/// Numbers among which the same few recur: either the number's position among the latest, or the number itself.
struct Choice {
    static constexpr std::size_t kLast = 15;
    std::array<std::uint64_t, kLast> last{};
    AdaptiveOrder place_order;
    Number number;

    template <class Bits>
    void code(Bits& bits, std::uint64_t& value) {
        std::uint64_t place = static_cast<std::uint64_t>(std::ranges::find(last, value) - last.begin());
        place_order.code(bits, place);
        const std::size_t i = std::min<std::uint64_t>(place, kLast);
        if (i == kLast) {
            number.code(bits, value);
        } else {
            value = last[i];
        }
        std::copy_backward(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(std::min(i, kLast - 1)),
                           last.begin() + static_cast<std::ptrdiff_t>(std::min(i, kLast - 1) + 1));
        last[0] = value;
    }
};

/// Lists of numbers: equal to the previous list, or each number relative to the number `stride` before it.
struct NumberList {
    std::vector<std::uint64_t> latest;
    AdaptiveOrder size_order;
    std::array<Number, 3> numbers;

    template <class Bits>
    void code(Bits& bits, std::vector<std::uint64_t>& values, std::size_t stride) {
        std::uint64_t size = values == latest ? 0 : values.size() + 1;
        size_order.code(bits, size);
        if (size > 0) {
            const std::uint64_t n = size - 1;
            values.resize(std::min(n, values.size()));
            for (std::size_t i = 0; i < n; ++i) {
                // The list grows one by one, because a damaged file may yield any `n`.
                if (i == values.size()) values.push_back(0);
                std::uint64_t change = values[i] - (i < stride ? 0 : values[i - stride]);
                numbers[i % stride].code(bits, change);
                values[i] = change + (i < stride ? 0 : values[i - stride]);
            }
            latest = values;
        } else {
            values = latest;
        }
    }
};

/// Sets of fields, one bit each, in the order in which they are tried: first those fields whose change leaves the
/// others regular. Function, call site and action always belong to the signature.
using Fields = std::uint32_t;
inline constexpr std::array<Fields, 7> kFieldsTogether = {0x7U, 0x38U, 0x1C0U, 0xE00U, 0x3000U, 0x4000U, 0x18000U};
inline constexpr Fields kBytes = 1U;
inline constexpr Fields kCounts = 1U << 2U;
inline constexpr Fields kCompleted = 1U << 5U;
inline constexpr Fields kRequests = 1U << 11U;
inline constexpr Fields kTimes = 1U << 17U;
inline constexpr Fields kAllFields = (1U << 18U) - 1U;

/// Calls `visit(bit, value)` for each field that is a single number.
template <class AnyParameters, class Visit>
void each_number(AnyParameters& p, Visit visit) {
    visit(0U, p.bytes);
    visit(1U, p.posted);
    visit(3U, p.matched_source);
    visit(4U, p.matched_tag);
    visit(6U, p.tag);
    visit(7U, p.source_tag);
    visit(8U, p.detail);
    visit(9U, p.request);
    visit(10U, p.message);
    visit(12U, p.peer);
    visit(13U, p.source);
    visit(14U, p.found);
    visit(15U, p.object);
    visit(16U, p.created);
}

/// \return the parameters with these fields reset to those of Parameters{}
[[nodiscard]] Parameters without(const Parameters& parameters, Fields fields);

/// \return the fields in which the parameters differ
[[nodiscard]] Fields difference(const Parameters& a, const Parameters& b);

class CallColumns {
public:
    static constexpr std::size_t kContexts = 1024;

    /// Resets all contexts, as at the start of a block.
    void restart() {
        ++block_;
        varying_.clear();
    }

    /// Times of calls with this symbol that follow a call with the symbol `before`. Valid until the next restart.
    [[nodiscard]] CallTimes& times(std::uint32_t before, std::uint32_t symbol) {
        TimeContext& context = times_[(before * 0x9E3779B1U + symbol * 0x85EBCA77U) >> 16U & (kContexts - 1U)];
        if (context.block != block_) context = {.block = block_};
        return context.times;
    }

    template <class Bits>
    void code_fields(Bits& bits, std::uint32_t symbol, Fields fields, Signature& call) {
        Varying& varying = varying_[symbol];
        each_number(call.parameters, [&](unsigned bit, auto& value) {
            if ((fields >> bit & 1U) == 0) return;
            auto wide = static_cast<std::uint64_t>(value);
            varying.numbers[bit].code(bits, wide);
            value = static_cast<std::remove_reference_t<decltype(value)>>(wide);
        });
        if ((fields & kRequests) != 0) code_list(bits, varying.lists[0], call.requests, 1);
        if ((fields & kCounts) != 0) code_list(bits, varying.lists[2], call.counts, 1);
        if ((fields & kCompleted) != 0) {
            flat_.clear();
            for (const auto& [index, source, tag] : call.completed) {
                for (const std::int32_t part : {index, source, tag}) flat_.push_back(static_cast<std::uint64_t>(part));
            }
            varying.lists[1].code(bits, flat_, 3);
            call.completed.resize(flat_.size() / 3);
            for (std::size_t i = 0; i < call.completed.size(); ++i) {
                const auto part = [&](std::size_t j) { return static_cast<std::int32_t>(flat_[3 * i + j]); };
                call.completed[i] = {.index = part(0), .source = part(1), .tag = part(2)};
            }
        }
        call.parameters.requests = call.requests;
        call.parameters.completed = call.completed;
        call.parameters.counts = call.counts;
    }

    /// Codes a run of polls: their number, and the time outside the calls.
    template <class Bits>
    void code_polls(Bits& bits, std::uint32_t symbol, std::uint64_t& times, std::uint64_t& outside_ns) {
        Varying& varying = varying_[symbol];
        varying.times.code(bits, times);
        if (times != 1) varying.outside.code(bits, outside_ns);
    }

private:
    struct TimeContext {
        std::uint64_t block = 0;  ///< block in which it was last used
        CallTimes times = {};
    };

    struct Varying {
        std::array<Choice, 17> numbers;
        std::array<NumberList, 3> lists;
        Number times;
        Number outside;
    };

    template <class Bits, class Value>
    void code_list(Bits& bits, NumberList& list, std::vector<Value>& values, std::size_t stride) {
        flat_.assign(values.begin(), values.end());
        list.code(bits, flat_, stride);
        values.resize(flat_.size());
        std::ranges::transform(flat_, values.begin(), [](std::uint64_t value) { return static_cast<Value>(value); });
    }

    std::uint64_t block_ = 0;
    std::vector<TimeContext> times_ = std::vector<TimeContext>(kContexts);
    std::unordered_map<std::uint32_t, Varying> varying_;
    std::vector<std::uint64_t> flat_;
};

}  // namespace waywiser::trace
