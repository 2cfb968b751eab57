/// Comparable recordings of one program with different numbers of ranks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/encoding/trace_tables.hpp"
#include "trace/reading/trace_reader.hpp"

namespace waywiser::extrapolate {

/// Names that all recordings share.
struct Vocabulary {
    std::vector<std::string> functions;
    std::vector<trace::CallSite> call_sites;
    std::unordered_map<std::string, std::uint32_t> symbols;  ///< symbols by all parameters that no rule predicts

    /// Text of a call, such as "MPI_Send at halo.c:12".
    [[nodiscard]] std::string name(const trace::Parameters& call) const;
};

struct RecordedCall {
    std::uint32_t form;    ///< index into Recording::forms
    std::uint64_t gap_ns;  ///< since the end of the preceding call
    std::uint64_t length_ns;
};

/// Represents the counts of a call with equal parts for all ranks: its bytes divided by the number of ranks.
inline constexpr std::array<std::uint64_t, 1> kEqualParts{1};

/// Represents the counts of a call with equal parts for all other ranks, and none for the own rank.
inline constexpr std::array<std::uint64_t, 2> kPartsOfOthers{1, 0};

[[nodiscard]] inline bool keeps_own_part(const trace::Parameters& call) {
    return call.counts.size() == kPartsOfOthers.size();
}

/// Number of parts into which a law divides what a call sends and receives.
/// \param group  number of ranks that take part
[[nodiscard]] inline std::int64_t parts_in(const trace::Parameters& call, std::int64_t group) {
    return keeps_own_part(call) && group > 1 ? group - 1 : 1;
}

/// A call's parameters, peers as ranks.
struct Form {
    trace::Signature signature;
    std::uint32_t symbol = 0;  ///< the vocabulary's symbol: equal for calls that differ only in peers, tags and sizes
};

/// The calls of all ranks. MPI_Init and MPI_Finalize take no time and wait for no rank. Unsuccessful polls are left
/// out, and wildcard receives name the matched source and tag. Computation between such polls counts as computation
/// before the call after them.
struct Recording {
    std::string path;
    std::int64_t ranks = 0;
    std::string library;
    std::vector<Form> forms;
    std::vector<std::vector<RecordedCall>> calls;     ///< indexed by rank
    std::vector<std::vector<std::uint32_t>> objects;  ///< index into `groups` by rank, and by the rank's own numbers
    std::vector<std::vector<std::int64_t>> groups;    ///< world ranks of each object; empty if they are not one group
    std::int64_t nodes = 1;
    std::int64_t per_node = 0;  ///< ranks on each node, in blocks; 0: the nodes are not such blocks

    [[nodiscard]] const std::vector<std::int64_t>& members_of(std::int64_t rank, std::size_t number) const {
        return groups[objects[static_cast<std::size_t>(rank)][number]];
    }
};

/// \throws InvalidInput  if the trace cannot be opened, is incomplete, or contains calls that cannot be extrapolated
[[nodiscard]] Recording read_recording(const std::string& path, Vocabulary& vocabulary);

}  // namespace waywiser::extrapolate
