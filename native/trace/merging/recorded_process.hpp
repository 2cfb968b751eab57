/// The trace in a process's state: the tables that the bytes of its streams refer to, and the streams.
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

/// More objects or signatures than memory for states has room for: a larger number comes from damage.
inline constexpr std::uint64_t kMostRecorded = std::uint64_t{1} << 22U;

/// A thread's calls that are not in the calls file yet.
struct RecordedStream {
    state::TraceStreamRecord record;  ///< but for its bytes
    std::string_view bytes;
};

/// The call that a thread was in when its process was killed.
struct RecordedEnd {
    std::uint64_t function = 0;  ///< 0: it was in none
    std::uint64_t begin_ticks = 0;
};

struct RecordedProcess {
    state::Header header = {};
    std::map<std::uint64_t, std::string> functions;
    std::map<std::uint64_t, state::ModuleRecord> modules;
    std::map<std::uint64_t, state::CommunicatorRecord> communicators;
    std::map<std::uint64_t, std::vector<Stride>> members;  ///< of communicators
    std::map<std::uint64_t, state::TraceObjectRecord> objects;
    std::unordered_map<std::uint64_t, state::TraceSignatureRecord> signatures;
    std::unordered_map<std::uint64_t, std::vector<std::int64_t>> lists;
    std::map<std::uint32_t, RecordedStream> streams;  ///< by thread
    std::map<std::uint32_t, RecordedEnd> ends;        ///< by thread
};

/// \param state  must live as long as what is returned
[[nodiscard]] RecordedProcess recorded_process(std::string_view state);

/// True if the process recorded a trace.
[[nodiscard]] bool has_recorded(std::string_view state);

}  // namespace waywiser::trace
