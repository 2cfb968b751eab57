/// Helpers for writing schedules.
#pragma once

#include <algorithm>
#include <utility>

#include "collectives/schedule.hpp"

namespace waywiser::collectives {

inline constexpr Blocks kAll{.first = 0, .count = 1};  ///< all data in one block
inline constexpr Blocks kNothing{};                    ///< an empty message as a signal

[[nodiscard]] inline Step send(int round, int to, Blocks blocks) { return {.round = round, .to = to, .sent = blocks}; }

[[nodiscard]] inline Step receive(int round, int from, Blocks blocks) {
    return {.round = round, .from = from, .received = blocks};
}

[[nodiscard]] inline Step reduce_from(int round, int from, Blocks blocks) {
    return {.round = round, .from = from, .received = blocks, .combines = true};
}

/// Sends to a rank and receives from one, which may be the same.
[[nodiscard]] inline Step exchange(int round, int to, Blocks sent, int from, Blocks received, bool combines = false) {
    return {.round = round, .to = to, .sent = sent, .from = from, .received = received, .combines = combines};
}

/// The rank at this distance after another one, around the end.
[[nodiscard]] inline int rank_after(const Operation& op, int rank, int by) {
    return static_cast<int>((static_cast<long>(rank) + by + op.ranks) % op.ranks);
}

/// Places count from the root.
[[nodiscard]] inline int place_of(const Operation& op, int rank) { return rank_after(op, rank, -op.root); }
[[nodiscard]] inline int rank_at(const Operation& op, int place) { return rank_after(op, place, op.root); }

/// The operation with rank 0 as its root.
[[nodiscard]] inline Operation rooted_at_first(Operation op) {
    op.root = 0;
    return op;
}

/// Appends a schedule, shifted by some rounds.
inline void append(Schedule& steps, const Schedule& more, int rounds_later) {
    for (Step step : more) {
        step.round += rounds_later;
        steps.push_back(step);
    }
}

[[nodiscard]] inline Cost operator+(const Cost& a, const Cost& b) {
    return {.rounds = a.rounds + b.rounds, .messages = a.messages + b.messages, .bytes = a.bytes + b.bytes};
}

[[nodiscard]] inline std::uint64_t count(int n) { return static_cast<std::uint64_t>(n); }

[[nodiscard]] inline std::uint64_t elements(const Operation& op) { return op.bytes / op.element_bytes; }

/// The offset of block `i` of a vector in `blocks` blocks, in bytes: the first blocks are longer by an element if
/// blocks cannot all be equal.
[[nodiscard]] inline std::uint64_t begin_of(const Operation& op, int blocks, int i) {
    if (i == blocks) return op.bytes;
    const std::uint64_t all = elements(op);
    return (all / count(blocks) * count(i) + std::min(all % count(blocks), count(i))) * op.element_bytes;
}

/// The number of messages into which data of this size are cut; empty data are also one message.
[[nodiscard]] inline int segments(const Operation& op, std::uint64_t bytes) {
    const std::uint64_t most = std::max(op.segment_bytes, op.element_bytes);
    if (op.segment_bytes == 0 || bytes <= most) return 1;
    return static_cast<int>((bytes + most - 1) / most);
}

}  // namespace waywiser::collectives
