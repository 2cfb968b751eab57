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

/// The participants of an object, by a rank's own numbers.
enum class Scope : std::uint8_t { other, world, self };

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
    std::vector<std::vector<RecordedCall>> calls;  ///< indexed by rank
    std::vector<Scope> objects;                    ///< by the ranks' own numbers, which are equal on all ranks
};

/// \throws InvalidInput  if the trace cannot be opened, is incomplete, or contains calls that cannot be extrapolated
[[nodiscard]] Recording read_recording(const std::string& path, Vocabulary& vocabulary);

}  // namespace waywiser::extrapolate
