/// A trace for Perfetto (ui.perfetto.dev): packets of TrackEvent.
///
/// Source: protos/perfetto/trace/ of the Perfetto project; numbers below are those of its fields.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "exchange/call_text.hpp"
#include "exchange/formats.hpp"
#include "exchange/output_file.hpp"
#include "exchange/protobuf.hpp"
#include "exchange/text.hpp"

namespace waywiser::exchange {
namespace {

namespace trace_field {
constexpr unsigned packet = 1;
}
namespace packet_field {
constexpr unsigned timestamp = 8, sequence_id = 10, track_event = 11, interned_data = 12, sequence_flags = 13,
                   defaults = 59, track_descriptor = 60;
}
namespace event_field {
constexpr unsigned category_iids = 3, debug_annotations = 4, type = 9, name_iid = 10, track_uuid = 11, flow_ids = 47,
                   terminating_flow_ids = 48;
}
namespace annotation_field {
constexpr unsigned name_iid = 1, bool_value = 2, int_value = 4, string_value_iid = 17;
}
namespace interned_field {
constexpr unsigned categories = 1, event_names = 2, annotation_names = 3, annotation_strings = 29;
}
namespace descriptor_field {
constexpr unsigned uuid = 1, process = 3, thread = 4, parent_uuid = 5;
}

constexpr std::uint64_t kSliceBegin = 1;
constexpr std::uint64_t kSliceEnd = 2;
constexpr std::uint64_t kStateCleared = 1;
constexpr std::uint64_t kNeedsState = 2;

enum Annotation : unsigned { peer, tag, source, source_tag, bytes, posted, communicator, site, found, polls, polling };
constexpr std::array<std::string_view, 11> kAnnotations{
    "peer",         "tag",       "source", "source_tag", "bytes",      "bytes to receive",
    "communicator", "call site", "found",  "polls",      "ns in polls"};

/// Texts of one sequence of packets, each written once.
class Interned {
public:
    explicit Interned(unsigned field) : field_(field) {}

    /// \param fresh  gets the text if it is new
    std::uint64_t number(const std::string& text, ProtobufMessage& fresh) {
        const auto [place, is_new] = numbers_.try_emplace(text, numbers_.size() + 1);
        if (is_new) fresh.message(field_, ProtobufMessage().integer(1, place->second).text(2, text));
        return place->second;
    }

private:
    unsigned field_;
    std::unordered_map<std::string, std::uint64_t> numbers_;
};

/// The calls of one thread: a track, and a sequence of packets.
class Track {
public:
    Track(OutputFile& file, const CallText& text, std::size_t rank, std::size_t stream)
        : file_(file), text_(text), rank_(rank), sequence_(stream + 1) {}

    void describe(const ProtobufMessage& track) {
        ProtobufMessage interned;
        interned.message(interned_field::categories, ProtobufMessage().integer(1, 1).text(2, "MPI"));
        for (unsigned i = 0; i < kAnnotations.size(); ++i) {
            interned.message(interned_field::annotation_names,
                             ProtobufMessage().integer(1, i + 1).text(2, kAnnotations[i]));
        }
        ProtobufMessage packet;
        const auto defaults = ProtobufMessage().integer(event_field::track_uuid, sequence_);
        packet.integer(packet_field::sequence_flags, kStateCleared)
            .message(packet_field::defaults, ProtobufMessage().message(packet_field::track_event, defaults))
            .message(packet_field::interned_data, interned)
            .message(packet_field::track_descriptor, track);
        put(packet);
    }

    void add(const mpi::RankCall& call) {
        ProtobufMessage fresh;
        ProtobufMessage begin;
        begin.integer(event_field::type, kSliceBegin)
            .integer(event_field::category_iids, 1)
            .integer(event_field::name_iid, names_.number(text_.function(call.parameters), fresh));
        annotate(call, begin, fresh);
        for (const auto& operation : call.began) {
            if (starts_arrow(*operation)) begin.fixed64(event_field::flow_ids, message_id(operation->key));
        }
        ProtobufMessage end;
        end.integer(event_field::type, kSliceEnd);
        // The arrow ends at the end of the call: Perfetto drops an arrow whose head precedes its tail, and the receive
        // may have started first.
        for (const auto& operation : call.completed) {
            if (operation->kind == mpi::Operation::Kind::receive && operation->known)
                end.fixed64(event_field::terminating_flow_ids, message_id(operation->key));
        }
        put_event(call.call.begin_ns, begin, fresh);
        put_event(call.call.end_ns, end, {});
    }

private:
    static bool starts_arrow(const mpi::Operation& operation) {
        return operation.kind == mpi::Operation::Kind::send || operation.kind == mpi::Operation::Kind::collective;
    }

    void annotate(const mpi::RankCall& call, ProtobufMessage& event, ProtobufMessage& fresh) {
        const trace::Parameters& p = call.parameters;
        const auto value = [&](Annotation name, unsigned field, std::uint64_t number) {
            event.message(event_field::debug_annotations,
                          ProtobufMessage().integer(annotation_field::name_iid, name + 1U).integer(field, number));
        };
        const auto number = [&](Annotation name, std::int64_t n) {
            if (n != trace::kNone) value(name, annotation_field::int_value, static_cast<std::uint64_t>(n));
        };
        const auto words = [&](Annotation name, const std::string& text) {
            if (!text.empty()) value(name, annotation_field::string_value_iid, strings_.number(text, fresh));
        };
        number(peer, text_.world_rank(rank_, p, p.peer));
        number(tag, p.tag);
        number(source, text_.world_rank(rank_, p, p.matched_source != trace::kNone ? p.matched_source : p.source));
        number(source_tag, p.matched_tag != trace::kNone ? p.matched_tag : p.source_tag);
        if (p.bytes != 0) number(bytes, static_cast<std::int64_t>(p.bytes));
        if (p.posted != 0) number(posted, static_cast<std::int64_t>(p.posted));
        words(communicator, text_.object(rank_, p));
        words(site, text_.site(p));
        if (!p.found) value(found, annotation_field::bool_value, 0);
        if (call.call.times > 1) {
            number(polls, static_cast<std::int64_t>(call.call.times));
            number(polling, static_cast<std::int64_t>(call.call.polling_ns));
        }
    }

    void put_event(std::uint64_t ns, const ProtobufMessage& event, const ProtobufMessage& fresh) {
        ProtobufMessage packet;
        packet.integer(packet_field::timestamp, ns).integer(packet_field::sequence_flags, kNeedsState);
        if (!fresh.empty()) packet.message(packet_field::interned_data, fresh);
        put(packet.message(packet_field::track_event, event));
    }

    void put(ProtobufMessage& packet) {
        packet.integer(packet_field::sequence_id, sequence_);
        file_.write(ProtobufMessage().message(trace_field::packet, packet).bytes());
    }

    OutputFile& file_;
    const CallText& text_;
    std::size_t rank_;
    std::uint64_t sequence_;  ///< sequence number, also the track's number
    Interned names_{interned_field::event_names};
    Interned strings_{interned_field::annotation_strings};
};

/// The process of a rank. Its number is that of its first thread, as in Linux; threads of all ranks have different
/// numbers.
ProtobufMessage process_of(const trace::TraceJob& job, std::size_t rank, std::size_t first_stream) {
    const trace::TraceRank& of = job.ranks[rank];
    const std::string host = of.host < job.hosts.size() ? " on " + job.hosts[of.host].host : "";
    return ProtobufMessage().integer(1, first_stream + 1).text(6, joined("rank ", of.rank, host));
}

void write_rank(const trace::TraceFile& trace, const CallText& text, std::size_t rank, const Window& window,
                OutputFile& file, Progress& progress) {
    const trace::TraceJob& job = trace.job();
    std::unordered_map<std::size_t, Track> tracks;
    std::optional<std::size_t> first;
    std::uint64_t process = 0;
    for (std::size_t stream = 0; stream < job.streams.size(); ++stream) {
        if (job.streams[stream].rank != job.ranks[rank].rank) continue;
        Track& track = tracks.try_emplace(stream, file, text, rank, stream).first->second;
        if (!first) {
            first = stream;
            process = job.streams.size() + 1 + rank;
            file.write(ProtobufMessage()
                           .message(trace_field::packet,
                                    ProtobufMessage().message(
                                        packet_field::track_descriptor,
                                        ProtobufMessage()
                                            .integer(descriptor_field::uuid, process)
                                            .message(descriptor_field::process, process_of(job, rank, stream))))
                           .bytes());
        }
        const auto thread = ProtobufMessage()
                                .integer(1, *first + 1)
                                .integer(2, stream + 1)
                                .text(5, joined("thread ", job.streams[stream].thread));
        track.describe(ProtobufMessage()
                           .integer(descriptor_field::uuid, stream + 1)
                           .integer(descriptor_field::parent_uuid, process)
                           .message(descriptor_field::thread, thread));
    }
    mpi::RankCalls calls(trace, text.groups(), rank);
    while (calls.next()) {
        if (window.holds(calls.call().call)) tracks.at(calls.call().stream).add(calls.call());
        ++progress.done;
    }
}

}  // namespace

void write_perfetto(const trace::TraceFile& trace, const std::string& path, const Window& window, Progress& progress) {
    OutputFile file(path);
    const CallText text(trace.job());
    for (std::size_t rank = 0; rank < trace.job().ranks.size(); ++rank)
        write_rank(trace, text, rank, window, file, progress);
    file.finish();
}

}  // namespace waywiser::exchange
