#include "exchange/otf2_own_stream.hpp"

#include "base/error.hpp"
#include "exchange/otf2_calls.hpp"
#include "exchange/otf2_fields.hpp"
#include "exchange/otf2_tables.hpp"

namespace waywiser::exchange::otf2 {

using trace::Parameters;

OwnStream::OwnStream(trace::TraceWriter& writer, const std::unordered_map<Ref, std::string>& strings,
                     const trace::TraceRank* rank)
    : writer_(writer), strings_(strings) {
    const std::vector<Definition> definitions = definitions_of(writer.job().objects);
    for (std::size_t i = 0; rank != nullptr && i < rank->objects.size(); ++i) {
        require(rank->objects[i] < definitions.size(), "a property of Waywiser's in the OTF2 trace is damaged");
        const Definition& object = definitions[rank->objects[i]];
        if (object.comm == kUndefined) continue;
        auto& numbers = object.window == kUndefined ? communicators_ : windows_;
        numbers.try_emplace(object.window == kUndefined ? object.comm : object.window, static_cast<std::int32_t>(i));
        processes_[object.comm] = object.processes;
    }
    for (const std::string& function : writer.job().functions) actions_.push_back(action_of(function));
}

std::int32_t OwnStream::local(Ref ref, const std::unordered_map<Ref, std::int32_t>& numbers) {
    const auto at = numbers.find(ref);
    return at == numbers.end() ? trace::kUnknown : at->second;
}

const std::string& OwnStream::text(const Value& value) const {
    const auto at = strings_.find(value.string);
    require(at != strings_.end(), "an attribute of Waywiser's in the OTF2 trace is damaged");
    return at->second;
}

void OwnStream::enter(std::uint64_t ns, Ref region) {
    require(region < actions_.size(), "an event of the OTF2 trace is damaged: it enters a region without definition");
    call_ = Parameters{};
    call_.function = region;
    call_.action = actions_[region];
    times_ = {.begin_ns = ns};
    requests_.clear();
    completed_.clear();
    counts_.clear();
}

void OwnStream::record(const Record& record) {
    using Kind = Record::Kind;
    switch (record.kind) {
        case Kind::send:
        case Kind::nonblocking_send:
            note_send(call_, communicator(record.object), record.partner, record.tag, record.bytes);
            break;
        case Kind::receive:
            note_receive(call_, communicator(record.object), record.partner, record.tag, record.bytes);
            break;
        case Kind::collective_end: {
            const auto comm = processes_.find(record.object);
            require(comm != processes_.end(),
                    "an event of the OTF2 trace is damaged: its communicator has no definition");
            const auto [sent, received] = multipliers_of(record.operation, comm->second);
            call_.object = communicator(record.object);
            call_.peer = root_peer(record.partner);
            call_.bytes = record.bytes / sent;
            call_.posted = record.received / received;
            break;
        }
        case Kind::create_communicator: call_.created = communicator(record.object); break;
        case Kind::create_window: call_.created = window(record.object); break;
        case Kind::free_communicator: call_.object = communicator(record.object); break;
        case Kind::free_window:
        case Kind::window_collective_end: call_.object = window(record.object); break;
        case Kind::put:
        case Kind::atomic: note_rma(call_, window(record.object), record.partner, record.bytes, record.received); break;
        case Kind::get: note_rma(call_, window(record.object), record.partner, 0, record.bytes); break;
        default: break;  // Attributes contain the requests.
    }
}

void OwnStream::apply(const AttributeValue& attribute) {
    const auto& [id, value] = attribute;
    if (id < kNumbers.size()) {
        call_.*kNumbers[id] = value.int32;
        return;
    }
    switch (id) {
        case kBytes: call_.bytes = value.uint64; break;
        case kPosted: call_.posted = value.uint64; break;
        case kDetail: call_.detail = value.int64; break;
        case kAction:
            require(value.uint32 <= static_cast<std::uint32_t>(trace::Action::phase),
                    "an attribute of Waywiser's in the OTF2 trace is damaged");
            call_.action = static_cast<trace::Action>(value.uint32);
            break;
        case kFound: call_.found = value.uint32 != 0; break;
        case kSite:
            require(value.string <= writer_.job().call_sites.size(),
                    "an attribute of Waywiser's in the OTF2 trace is damaged");
            call_.site = value.string;
            break;
        case kRequests: unlist(text(value), requests_); break;
        case kCompleted:
            unlist(text(value), triples_);
            for (std::size_t i = 0; i + 2 < triples_.size(); i += 3) {
                completed_.push_back({.index = triples_[i], .source = triples_[i + 1], .tag = triples_[i + 2]});
            }
            break;
        case kCounts: unlist(text(value), counts_); break;
        case kTimes: times_.times = value.uint64; break;
        case kPollingNs: times_.polling_ns = value.uint64; break;
        default: break;
    }
}

void OwnStream::leave(std::uint64_t ns, Ref, const std::vector<AttributeValue>& attributes) {
    times_.end_ns = ns;
    times_.polling_ns = ns - times_.begin_ns;
    for (const AttributeValue& attribute : attributes) apply(attribute);
    call_.requests = requests_;
    call_.completed = completed_;
    call_.counts = counts_;
    writer_.append(writer_.signature(call_), times_);
    ++calls_;
}

}  // namespace waywiser::exchange::otf2
