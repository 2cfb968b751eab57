/// The profiler's files of a traced process, made by hand.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/crc32.hpp"
#include "trace/encoding/codec.hpp"
#include "trace/records/recording.hpp"
#include "trace/records/state.hpp"

namespace waywiser::tests {

template <std::size_t N>
void put(char (&field)[N], std::string_view text) {
    std::memcpy(field, text.data(), std::min(text.size(), N));
}

/// A state, record by record, as the profiler lays them out.
class RecordedState {
public:
    state::Header header{};

    RecordedState() {
        std::memcpy(header.magic, state::kMagic, sizeof header.magic);
        header.world_size = 1;
    }

    /// \param bytes  of a record that is not as long as its type
    template <class Record>
    void add(state::Kind kind, Record record, std::uint32_t thread = 0, std::size_t bytes = sizeof(Record)) {
        record.header = {.kind = kind, .bytes = static_cast<std::uint32_t>(bytes), .thread = thread, .reserved = 0};
        const std::size_t in_chunk = records_.size() % state::kChunkBytes;
        if (in_chunk + bytes > state::kChunkBytes) records_.append(state::kChunkBytes - in_chunk, '\0');
        records_.append(reinterpret_cast<const char*>(&record), bytes);
    }

    void add_function(std::uint64_t id, std::string_view name) {
        state::FunctionRecord record{};
        record.id = id;
        put(record.name, name);
        add(state::Kind::function, record);
    }

    void add_list(std::uint64_t id, std::int64_t value) {
        add(state::Kind::trace_list, state::TraceListRecord{.id = id, .used = 1, .values = {value}});
    }

    void add_signature(std::uint64_t id, const state::TraceKey& key, std::uint64_t address = 0) {
        add(state::Kind::trace_signature,
            state::TraceSignatureRecord{.id = id, .module = address == 0 ? 0U : 1U, .address = address, .key = key});
    }

    void add_stream(state::TraceStreamRecord record, std::string_view bytes, std::uint32_t thread = 0) {
        std::memcpy(record.bytes, bytes.data(), bytes.size());
        record.used = bytes.size();
        add(state::Kind::trace_stream, record, thread);
    }

    [[nodiscard]] std::string bytes() const {
        std::string all(state::kHeaderBytes, '\0');
        state::Header whole = header;
        whole.chunks = (records_.size() + state::kChunkBytes - 1) / state::kChunkBytes;
        std::memcpy(all.data(), &whole, sizeof whole);
        all += records_;
        all.resize(state::kHeaderBytes + whole.chunks * state::kChunkBytes);
        return all;
    }

private:
    std::string records_;
};

/// The bytes of a stream.
class Entries {
public:
    Entries& call(std::uint64_t id, std::uint64_t gap, std::uint64_t duration) {
        for (const std::uint64_t part : {state::kFirstId + id, gap, duration}) out_.integer(part);
        return *this;
    }

    /// \param field  the only one that differs
    Entries& varied(std::uint64_t id, std::uint64_t state::TraceKey::* field, std::int64_t difference,
                    std::uint64_t gap, std::uint64_t duration) {
        std::uint64_t mask = 0;
        state::each_trace_field([&](unsigned bit, auto known) {
            if constexpr (std::is_same_v<decltype(known), decltype(field)>)
                mask |= std::uint64_t{known == field} << bit;
        });
        out_.integer(state::kVaried);
        out_.integer(id);
        out_.integer(mask);
        out_.signed_integer(difference);
        out_.integer(gap);
        out_.integer(duration);
        return *this;
    }

    Entries& polls(std::uint64_t id, std::uint64_t number, std::uint64_t gap, std::uint64_t span,
                   std::uint64_t within) {
        for (const std::uint64_t part : {state::kPolls, id, number, gap, span, within}) out_.integer(part);
        return *this;
    }

    [[nodiscard]] const std::string& bytes() const { return out_.bytes(); }

private:
    trace::Encoder out_;
};

/// A buffer as it lies in a calls file.
inline std::string calls_block(const state::Header& process, std::uint32_t thread, std::uint64_t sequence,
                               std::uint64_t begin_ticks, const std::string& bytes) {
    state::CallsHeader header{};
    std::memcpy(header.magic, state::kCallsMagic, sizeof header.magic);
    header.pid = process.pid;
    header.thread = thread;
    header.process_start = process.process_start;
    header.sequence = sequence;
    header.begin_ticks = begin_ticks;
    header.bytes = bytes.size();
    header.checksum = crc32(bytes);
    return std::string(reinterpret_cast<const char*>(&header), sizeof header) + bytes;
}

/// A rank of two that receives from the other one, by polling and in a loop.
struct RecordedRank {
    RecordedState state;
    std::string calls;
};

inline RecordedRank sample_recording() {
    RecordedRank rank;
    state::Header& header = rank.state.header;
    header.pid = 10;
    header.process_start = 99;
    header.world_size = 2;
    header.phase = state::Phase::finalised;
    header.begin = {.ticks = 1'000, .monotonic_ns = 5'000'000};
    header.end = {.ticks = 2'001'000, .monotonic_ns = 6'000'000};  // two ticks a nanosecond
    header.begin_unix_ns = 1'000'000'005'000'000;
    put(header.host, "first");
    put(header.library, "MPICH");
    rank.state.add_function(1, "MPI_Recv");
    rank.state.add_function(2, "MPI_Test");
    rank.state.add_function(3, "MPI_Waitall");
    rank.state.add(state::Kind::module, state::ModuleRecord{.id = 1, .base = 4096, .path = "/bin/app"});
    rank.state.add(state::Kind::communicator, state::CommunicatorRecord{.id = 1, .fingerprint = 77, .size = 2});
    state::MembersRecord members{.communicator = 1, .used = 1};
    members.strides[0] = {.first = 0, .stride = 1, .count = 2};
    rank.state.add(state::Kind::members, members);
    rank.state.add(state::Kind::trace_object,
                   state::TraceObjectRecord{
                       .id = 0, .kind = 0, .context = 42, .communicator = 1, .own_rank = 0, .name = "MPI_COMM_WORLD"});
    rank.state.add_list(1, 3);
    rank.state.add_list(1, 4);
    rank.state.add_list(2, 0);
    rank.state.add_list(2, trace::kNone);
    rank.state.add_list(2, trace::kNone);
    state::TraceKey receive;
    receive.function = 1;
    receive.action = static_cast<std::uint8_t>(trace::Action::receive);
    receive.object = 0;
    receive.source = 1;
    receive.posted = 800;
    rank.state.add_signature(0, receive, 4711);
    state::TraceKey test;
    test.function = 2;
    test.action = static_cast<std::uint8_t>(trace::Action::complete);
    test.found = 0;
    test.requests = 1;
    rank.state.add_signature(1, test);
    state::TraceKey wait = test;
    wait.function = 3;
    wait.found = 1;
    wait.completed = 2;
    rank.state.add_signature(2, wait);
    rank.calls = calls_block(header, 0, 0, 1'000, Entries().call(0, 20, 10).call(0, 30, 40).bytes()) +
                 calls_block(header, 0, 1, 2'000,
                             Entries().varied(0, &state::TraceKey::posted, -792, 2, 4).polls(1, 7, 0, 100, 60).bytes());
    state::TraceStreamRecord stream{};
    stream.sequence = 2;
    stream.begin_ticks = 2'106;
    stream.polls = 2;
    stream.polls_signature = 1;
    stream.polls_begin_ticks = 2'200;
    stream.polls_end_ticks = 2'300;
    stream.polls_ticks = 10;
    stream.dropped_calls = 5;
    rank.state.add_stream(stream, Entries().call(2, 4, 10).bytes());
    return rank;
}

}  // namespace waywiser::tests
