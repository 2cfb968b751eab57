#include "trace/merging/recorded_process.hpp"

#include <cstddef>

#include "trace/merging/state_records.hpp"

namespace waywiser::trace {
namespace {

/// Collects a state's records one after another.
class RecordTaker {
public:
    explicit RecordTaker(RecordedProcess& into) : into_(into) {}

    void take(state::Kind kind, std::string_view bytes) {
        switch (kind) {
            case state::Kind::function: return take_whole<state::FunctionRecord>(bytes);
            case state::Kind::thread: return take_whole<state::ThreadRecord>(bytes);
            case state::Kind::communicator: return keep(bytes, into_.communicators);
            case state::Kind::members: return take_whole<state::MembersRecord>(bytes);
            case state::Kind::module: return keep(bytes, into_.modules);
            case state::Kind::trace_signature: return keep(bytes, into_.signatures, kMostRecorded);
            case state::Kind::trace_list: return take_list(bytes);
            case state::Kind::trace_object: return keep(bytes, into_.objects, kMostRecorded);
            case state::Kind::trace_stream: return take_stream(bytes);
            default: return;
        }
    }

private:
    template <class Record>
    void take_whole(std::string_view bytes) {
        if (bytes.size() >= sizeof(Record)) add(read_record<Record>(bytes));
    }

    void add(const state::FunctionRecord& record) { into_.functions.try_emplace(record.id, text_of(record.name)); }

    void add(const state::ThreadRecord& record) {
        RecordedEnd& end = into_.ends[record.header.thread];
        if (record.current_begin_ticks > record.last_ticks) end = {record.current, record.current_begin_ticks};
    }

    void add(const state::MembersRecord& record) { add_members(record, into_.members[record.communicator]); }

    /// Stores a record by its identifier, which must be below `most`.
    template <class Records>
    static void keep(std::string_view bytes, Records& records, std::uint64_t most = ~std::uint64_t{0}) {
        using Record = typename Records::mapped_type;
        if (bytes.size() < sizeof(Record)) return;
        const auto record = read_record<Record>(bytes);
        if (record.id < most) records.try_emplace(record.id, record);
    }

    void take_list(std::string_view bytes) {
        constexpr std::size_t kBefore = offsetof(state::TraceListRecord, values);
        if (bytes.size() < kBefore) return;
        const auto record = read_record<state::TraceListRecord>(bytes);
        const std::size_t room = (bytes.size() - kBefore) / sizeof(std::int64_t);
        const std::size_t used = std::min<std::size_t>(record.used, room);
        std::vector<std::int64_t>& list = into_.lists[record.id];
        for (std::size_t i = 0; i < used; ++i) {
            list.push_back(read_record<std::int64_t>(bytes.substr(kBefore + i * sizeof(std::int64_t))));
        }
    }

    void take_stream(std::string_view bytes) {
        constexpr std::size_t kBefore = offsetof(state::TraceStreamRecord, bytes);
        if (bytes.size() < kBefore) return;
        RecordedStream& stream = into_.streams[read_record<state::RecordHeader>(bytes).thread];
        stream.record = read_record<state::TraceStreamRecord>(bytes.substr(0, kBefore));
        stream.bytes = bytes.substr(kBefore).substr(0, stream.record.used);
    }

    RecordedProcess& into_;
};

}  // namespace

RecordedProcess recorded_process(std::string_view state) {
    RecordedProcess process;
    process.header = read_record<state::Header>(state);
    RecordTaker taker(process);
    for_each_record(state,
                    [&](const state::RecordHeader& header, std::string_view bytes) { taker.take(header.kind, bytes); });
    return process;
}

bool has_recorded(std::string_view state) {
    bool recorded = false;
    for_each_record(state, [&](const state::RecordHeader& header, std::string_view) {
        recorded = recorded || header.kind == state::Kind::trace_stream;
    });
    return recorded;
}

}  // namespace waywiser::trace
