/// A node's record, which its collector saves beside the states of processes: one page with the fields of
/// `kNodeFields`. Readers of version 0.1 skip it. The record is plain data, because the collector does without
/// libstdc++.
#pragma once

#include <cstdint>

#include "trace/records/fields.hpp"
#include "trace/records/state.hpp"

namespace waywiser::state {

inline constexpr char kNodeMagic[8] = {'W', 'W', 'N', 'O', 'D', 'E', '0', '1'};
inline constexpr std::size_t kMostNodeFields = 16;
static_assert(trace::kNodeFields.size() <= kMostNodeFields);

struct NodeField {
    std::uint64_t value;
    char unknown[160];  ///< why the value is unknown; empty if it is known
};

struct NodeState {
    char magic[8];
    std::uint32_t pid;     ///< PID of the collector
    std::uint32_t fields;  ///< number of fields that are filled, in the order of the list
    std::uint64_t process_start;
    std::uint64_t end_ns;  ///< CLOCK_MONOTONIC of the last update
    char host[256];
    NodeField values[kMostNodeFields];
};
static_assert(sizeof(NodeState) <= kHeaderBytes);

/// The index of a field in the list.
template <trace::Name kName>
[[nodiscard]] NodeField& field_of(NodeState& node) {
    return node.values[trace::index_of<trace::kNodeFields, kName>()];
}

}  // namespace waywiser::state
