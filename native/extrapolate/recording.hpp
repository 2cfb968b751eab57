/// Traces of one program with different numbers of ranks, in a form in which they can be compared.
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
    std::unordered_map<std::string, std::uint32_t> symbols;  ///< by all of a call that no rule says

    /// "MPI_Send at halo.c:12"
    [[nodiscard]] std::string name(const trace::Parameters& call) const;
};

struct RecordedCall {
    std::uint32_t form;    ///< index into Recording::forms
    std::uint64_t gap_ns;  ///< since the end of the call before
    std::uint64_t length_ns;
};

/// Stands for the counts of a call that gives every rank a part of one size: its bytes over the number of ranks.
inline constexpr std::array<std::uint64_t, 1> kEqualParts{1};

/// The participants of an object, by a rank's own numbers.
enum class Scope : std::uint8_t { other, world, self };

/// A call's parameters, peers as ranks.
struct Form {
    trace::Signature signature;
    std::uint32_t symbol = 0;  ///< of the vocabulary: the same for calls that differ in peers, tags and sizes alone
};

/// The calls of all ranks. MPI_Init and MPI_Finalize take no time and wait for nobody. Unsuccessful polls are left out,
/// and wildcard receives name the matched source and tag. Computing between such polls counts as computing before the
/// call after them.
struct Recording {
    std::string path;
    std::int64_t ranks = 0;
    std::string library;
    std::vector<Form> forms;
    std::vector<std::vector<RecordedCall>> calls;  ///< by rank
    std::vector<Scope> objects;                    ///< by a rank's own numbers: the same on all ranks
};

/// \throws InvalidInput  if the trace cannot be opened, is not complete, or has more than can be extrapolated
[[nodiscard]] Recording read_recording(const std::string& path, Vocabulary& vocabulary);

}  // namespace waywiser::extrapolate
