/// trace.ww: every MPI call of a job in one file.
///
/// The file is the magic "WWTRAC01" and then blocks (block.hpp). Payloads are LEB128 integers, signed
/// ones zigzag, and length-prefixed UTF-8. Kinds, in the order of the file:
///
/// | kind | holds                                                                                       |
/// |------|---------------------------------------------------------------------------------------------|
/// | 1    | description, text for a human                                                               |
/// | 2    | job: functions, places, objects, clocks, ranks, streams (trace_tables.cpp)                  |
/// | 3    | signatures: fields that vary, peers that are relative to the own rank, parameters           |
/// | 4    | rules (sequence.cpp): symbols and rules with their counts; a call sequence is one rule      |
/// | 5    | meanings: lists of symbols, each with the signature that it stands for                      |
/// | 6    | streams: for each its rule, its list of meanings, and the number in headers of its calls    |
/// | 7    | index, before a block of calls: calls before, calls, end of the call before, latest end     |
/// | 8    | calls: times, and the values of fields that vary, as bits (call_columns.hpp)                |
/// | 9    | end: number of blocks of calls                                                              |
///
/// All that calls refer to stands before them: a file that is cut yields the calls before the cut.
#pragma once

#include <cstdint>
#include <string_view>

namespace waywiser::trace {

inline constexpr std::string_view kTraceMagic = "WWTRAC01";

enum class TraceBlock : std::uint32_t {
    description = 1,
    job,
    signatures,
    rules,
    meanings,
    streams,
    index,
    calls,
    end,
};

}  // namespace waywiser::trace
