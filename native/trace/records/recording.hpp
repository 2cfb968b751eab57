/// The format in which the profiler writes a trace while the program runs.
///
/// A thread's calls are bytes in a buffer of its live state (TraceStreamRecord). A full buffer is appended to the
/// process's calls file (`parts/*.calls` of the run) after a CallsHeader. The calls that are in the state when the
/// process ends, or is killed, follow them. The tables to which the bytes refer (signatures, lists, objects) are in
/// records of the state. All structs are plain data, because the profiler uses them without libstdc++.
///
/// The bytes are LEB128 integers, of entries:
///
/// | first integer     | then                                                                          |
/// |-------------------|-------------------------------------------------------------------------------|
/// | kFirstId + id     | gap, duration: a call of that signature                                       |
/// | kVaried           | id, mask, a zigzag difference for each field of `mask`, gap, duration: a call  |
/// |                   | like signature `id`, but for those fields (TraceKey's list)                   |
/// | kPolls            | id, number, gap, span, time within: polls in a row that found nothing         |
///
/// A gap is the time from the end of the thread's previous recorded call to the start of this call; all times are
/// ticks. A call that the program makes within another (in a callback) comes before the outer call, at the outer call's
/// start and without a duration. A call that failed, or that was made before MPI was up, has its function, its call
/// site and its times only. The messages of a persistent request are in the call that creates it, and again in the
/// calls that start it.
///
/// Data beyond a process's limit, or that cannot be written, end its trace: earlier calls are kept, and later calls are
/// counted as lost. Beyond the number of signatures that are kept, a call is kVaried relative to the first signature of
/// its call site and function.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/members.hpp"
#include "trace/records/action.hpp"
#include "trace/records/state.hpp"

namespace waywiser::state {

inline constexpr std::uint64_t kVaried = 1;
inline constexpr std::uint64_t kPolls = 2;
inline constexpr std::uint64_t kFirstId = 8;

/// Parameters of a call as in trace::Parameters (trace/records/trace.hpp), packed into few words for fast comparison.
struct TraceKey {
    std::uint64_t caller = 0;    ///< return address; 0: unknown
    std::uint16_t function = 0;  ///< FunctionRecord::id
    std::uint8_t action = 0;     ///< trace::Action
    std::uint8_t found = 1;
    std::int32_t object = trace::kNone;  ///< TraceObjectRecord::id, or trace::kNone
    std::int32_t peer = trace::kNone;
    std::int32_t tag = trace::kNone;
    std::int32_t source = trace::kNone;
    std::int32_t source_tag = trace::kNone;
    std::uint64_t bytes = 0;
    std::uint64_t posted = 0;
    std::int32_t request = trace::kNone;
    std::int32_t message = trace::kNone;
    std::int32_t matched_source = trace::kNone;
    std::int32_t matched_tag = trace::kNone;
    std::uint32_t requests = 0;   ///< TraceListRecord::id; 0: none
    std::uint32_t completed = 0;  ///< TraceListRecord::id of index, source, tag, index, …; 0: none
    std::uint32_t counts = 0;     ///< TraceListRecord::id; 0: none
    std::int32_t created = trace::kNone;
    std::int64_t detail = 0;
};
static_assert(sizeof(TraceKey) == 88);

/// Fields that may differ within one signature, in the order of the bits of a mask.
WAYWISER_RECORD(TraceKey, peer, tag, source, source_tag, bytes, posted, request, message, matched_source, matched_tag,
                requests, completed, counts, created, detail, found, object, action)
inline constexpr std::size_t kTraceFields = std::tuple_size_v<std::remove_cv_t<decltype(kMembers<TraceKey>)>>;

/// Calls `visit(bit, member)` for each of these fields.
template <class Visit>
constexpr void each_trace_field(Visit visit) {
    for_each_member(kMembers<TraceKey>, [&, bit = 0U](const auto& field) mutable { visit(bit++, field.value); });
}

struct TraceSignatureRecord {
    RecordHeader header = {};
    std::uint64_t id = 0;       ///< number in this process, from 0
    std::uint64_t module = 0;   ///< ModuleRecord::id of the caller; 0: unknown
    std::uint64_t address = 0;  ///< return address relative to that file; the line for Python
    TraceKey key = {};
};

/// List arguments of a call: requests, completions, or bytes to each rank. A list that does not fit continues in the
/// following records with the same id.
struct TraceListRecord {
    RecordHeader header = {};
    std::uint64_t id = 0;  ///< number in this process, from 1
    std::uint64_t used = 0;
    std::int64_t values[1] = {};  ///< `used` values; the record is as long as they need
};

/// A communicator, a window or a file while it exists. A new object takes over the record of a freed object of the same
/// kind, parent and processes.
struct TraceObjectRecord {
    RecordHeader header = {};
    std::uint64_t id = 0;            ///< number in this process, from 0, in the order of creation
    std::uint64_t kind = 0;          ///< TraceObject::Kind
    std::uint64_t context = 0;       ///< the same on all its members
    std::uint64_t communicator = 0;  ///< CommunicatorRecord::id of its processes
    std::int64_t own_rank = -1;      ///< rank in that communicator
    char name[64] = {};
};

/// Reasons for missing calls, beside the system's errno values.
inline constexpr std::uint64_t kBeyondLimit = 1'000'000;
inline constexpr std::uint64_t kNoMemory = 1'000'001;

inline constexpr std::size_t kTraceBufferBytes = std::size_t{48} * 1024;

/// One thread's calls that are not in the calls file yet.
struct TraceStreamRecord {
    RecordHeader header = {};
    std::uint64_t sequence = 0;       ///< number of this buffer; the file may have it already
    std::uint64_t begin_ticks = 0;    ///< start of the buffer's first gap
    std::uint64_t last_ticks = 0;     ///< end of the latest call in the buffer
    std::uint64_t calls = 0;          ///< calls of the whole stream without dropped calls
    std::uint64_t dropped_calls = 0;  ///< calls outside the requested part
    std::uint64_t used = 0;           ///< used bytes of the buffer, written last
    // Consecutive polls that are not in the buffer yet.
    std::uint64_t polls = 0;
    std::uint64_t polls_signature = 0;
    std::uint64_t polls_begin_ticks = 0;
    std::uint64_t polls_end_ticks = 0;
    std::uint64_t polls_ticks = 0;  ///< time within these polls
    // Calls that were requested and are missing.
    std::uint64_t lost_calls = 0;
    std::uint64_t lost_reason = 0;  ///< kBeyondLimit, kNoMemory, or errno of the failed write
    unsigned char bytes[kTraceBufferBytes] = {};
};

inline constexpr char kCallsMagic[8] = {'W', 'W', 'C', 'A', 'L', 'L', 'S', '1'};

/// Header of each buffer in a calls file.
struct CallsHeader {
    char magic[8];
    std::uint32_t pid;
    std::uint32_t thread;
    std::uint64_t process_start;  ///< as in Header
    std::uint64_t sequence;
    std::uint64_t begin_ticks;
    std::uint64_t bytes;
    std::uint32_t checksum;  ///< CRC-32 of the bytes
    std::uint32_t reserved;
};

}  // namespace waywiser::state
