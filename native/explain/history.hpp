/// Recent history of a stream: its last calls with the computation before each of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/flat_map.hpp"
#include "explain/waits.hpp"

namespace waywiser::explain {

/// A kind of interval: computation between two calls, or a call (`before` and `after` are the same).
struct Interval {
    bool computing;
    std::uint32_t before;  ///< number of a call site
    std::uint32_t after;
};

/// Numbers the call sites of a program and the computation intervals between them.
class Intervals {
public:
    explicit Intervals(std::size_t signatures);

    /// Number of the call site of a call with that signature. The first number stands for the start, before all calls.
    std::uint32_t place(std::uint32_t signature, const Place& place) {
        const std::uint32_t known = by_signature_[signature];
        return known != 0 ? known - 1 : new_place(signature, place);
    }

    [[nodiscard]] std::uint32_t within(std::uint32_t place) const { return within_[place]; }
    std::uint32_t between(std::uint32_t before, std::uint32_t after) {
        const Recent& recent = recent_[slot(before, after)];
        return recent.before == before && recent.after == after ? recent.number : find_between(before, after);
    }

    [[nodiscard]] const Interval& interval(std::uint32_t number) const { return intervals_[number]; }
    [[nodiscard]] const Place& place(std::uint32_t number) const { return places_[number]; }
    [[nodiscard]] std::size_t size() const { return intervals_.size(); }

private:
    std::uint32_t add(const Place& place);
    std::uint32_t new_place(std::uint32_t signature, const Place& place);
    std::uint32_t find_between(std::uint32_t before, std::uint32_t after);

    std::vector<std::uint32_t> by_signature_;  ///< numbers plus 1
    FlatMap<std::uint32_t> by_place_;          ///< numbers plus 1
    FlatMap<std::uint32_t> between_;           ///< numbers plus 1
    std::vector<Place> places_;
    std::vector<std::uint32_t> within_;
    std::vector<Interval> intervals_;
    struct Recent {
        std::uint32_t before = std::numeric_limits<std::uint32_t>::max();
        std::uint32_t after = 0;
        std::uint32_t number = 0;
    };
    static std::size_t slot(std::uint32_t before, std::uint32_t after) { return (before * 31U + after) % 256U; }
    std::array<Recent, 256> recent_ = {};
};

/// The part of a wait that arose in one kind of interval of one rank.
struct Share {
    std::uint32_t origin;
    std::uint64_t ns;
};

/// A wait, or a representative part, by its origins; only the largest of many are kept.
struct Shares {
    static constexpr std::size_t kMost = 4;
    std::array<Share, kMost> part = {};
    std::uint32_t number = 0;

    [[nodiscard]] std::uint64_t ns() const {
        std::uint64_t sum = 0;
        for (std::uint32_t k = 0; k < number; ++k) sum += part[k].ns;
        return sum;
    }
};

/// A call and the computation before it.
struct Segment {
    std::uint64_t end_ns = 0;  ///< end of the call, or its start while the call is in progress
    std::uint64_t computation_ns = 0;
    std::uint64_t call_ns = 0;
    std::uint64_t wait_ns = 0;    ///< wait in the call, from the call's start
    std::uint32_t computing = 0;  ///< kind of the computation interval
    std::uint32_t within = 0;     ///< kind of the call
    bool counted = true;          ///< the segment lies in the analysed time
};

/// The last segments of a stream, numbered from 0.
class History {
public:
    explicit History(std::uint64_t most) : most_(most), segments_(kLeast), shares_(kLeast) {}

    [[nodiscard]] std::uint64_t begin() const { return std::max(first_, end_ > mask_ ? end_ - mask_ - 1 : 0); }
    [[nodiscard]] std::uint64_t end() const { return end_; }
    /// True if adding a segment may overwrite one that was not examined yet, as set by `look_before_overwriting`.
    [[nodiscard]] bool look_due() const { return end_ >= look_at_; }
    /// The next segments may overwrite all segments before `number`.
    void look_before_overwriting(std::uint64_t number) { look_at_ = number + segments_.size(); }

    [[nodiscard]] Segment& operator[](std::uint64_t number) { return segments_[number & mask_]; }
    [[nodiscard]] const Segment& operator[](std::uint64_t number) const { return segments_[number & mask_]; }
    [[nodiscard]] Segment& latest() { return (*this)[end_ - 1]; }
    [[nodiscard]] const Segment& latest() const { return (*this)[end_ - 1]; }
    [[nodiscard]] Shares& shares(std::uint64_t number) { return shares_[number & mask_]; }
    [[nodiscard]] const Shares& shares(std::uint64_t number) const { return shares_[number & mask_]; }

    /// Adds a segment in place of the oldest.
    void push(const Segment& segment) { (*this)[end_++] = segment; }

    /// Removes the latest segment, which must not be referenced. Overwritten segments stay lost.
    void pop() {
        first_ = begin();
        --end_;
    }

    /// Doubles the memory for segments, up to the limit.
    bool grow();

private:
    static constexpr std::size_t kLeast = 32;

    std::uint64_t most_;
    std::uint64_t end_ = 0;
    std::uint64_t first_ = 0;          ///< lower bound of the first segment's number
    std::uint64_t mask_ = kLeast - 1;  ///< the capacity is a power of two
    std::uint64_t look_at_ = kLeast;
    std::vector<Segment> segments_;
    std::vector<Shares> shares_;
};

}  // namespace waywiser::explain
