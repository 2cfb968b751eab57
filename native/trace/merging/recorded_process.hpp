/// The trace in a process's state: its streams, and the tables to which their bytes refer.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/records/profile.hpp"
#include "trace/records/recording.hpp"
#include "trace/records/state.hpp"

namespace waywiser::trace {

/// Upper bound for objects and signatures, beyond the memory for states: a larger number is damage.
inline constexpr std::uint64_t kMostRecorded = std::uint64_t{1} << 22U;

/// A thread's calls that are not in the calls file yet.
struct RecordedStream {
    state::TraceStreamRecord record;  ///< the record without its bytes
    std::string_view bytes;
};

/// The call that a thread was in when its process was killed.
struct RecordedEnd {
    std::uint64_t function = 0;  ///< 0: the thread was in no call
    std::uint64_t begin_ticks = 0;
};

struct RecordedProcess {
    state::Header header = {};
    std::map<std::uint64_t, std::string> functions;
    std::map<std::uint64_t, state::ModuleRecord> modules;
    std::map<std::uint64_t, state::CommunicatorRecord> communicators;
    std::map<std::uint64_t, std::vector<Stride>> members;  ///< members of communicators
    std::map<std::uint64_t, state::TraceObjectRecord> objects;
    std::unordered_map<std::uint64_t, state::TraceSignatureRecord> signatures;
    std::unordered_map<std::uint64_t, std::vector<std::int64_t>> lists;
    std::map<std::uint32_t, RecordedStream> streams;  ///< by thread number
    std::map<std::uint32_t, RecordedEnd> ends;        ///< by thread number
};

/// \param state  must outlive the result
[[nodiscard]] RecordedProcess recorded_process(std::string_view state);

/// True if the process recorded a trace.
[[nodiscard]] bool has_recorded(std::string_view state);

}  // namespace waywiser::trace
