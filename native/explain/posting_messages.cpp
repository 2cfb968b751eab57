/// Messages and collectives that calls post, and what each call needs of its partners.
#include <algorithm>
#include <utility>

#include "explain/posting.hpp"

namespace waywiser::explain {

using trace::Parameters;

std::uint32_t Posting::find_channel(std::uint32_t rank, std::int32_t object, std::int32_t from, std::int32_t to,
                                    std::int32_t tag) {
    const Object* over = object_of(rank, object);
    if (over == nullptr) return kNothing;
    const std::int32_t peer = std::max(from, to);  // The smaller value is kNone and represents this rank itself.
    const std::int64_t world_peer = members_.world_rank(over->job_object, peer);
    const bool known = world_peer >= 0 && static_cast<std::size_t>(world_peer) < rank_index_.size() &&
                       rank_index_[static_cast<std::size_t>(world_peer)] >= 0;
    if (!known) {
        ++omissions_.unknown_peers;
        return kNothing;
    }
    const auto index = static_cast<std::uint32_t>(rank_index_[static_cast<std::size_t>(world_peer)]);
    const std::uint32_t number = messages_.channel(
        {.group = over->group, .tag = tag, .source = from >= 0 ? index : rank, .destination = to >= 0 ? index : rank});
    ranks_[rank].channels[RecentChannel::slot(object, from, to, tag)] = {
        .object = object, .from = from, .to = to, .tag = tag, .number = number};
    return number;
}

void Posting::post_send(const Stream& stream, const Envelope& envelope, std::vector<Need>& needs) {
    if (envelope.peer < 0) return;
    const std::uint32_t at = channel_of(stream.rank, envelope.object, trace::kNone, envelope.peer, envelope.tag);
    if (at == kNothing) return;
    const std::uint32_t number = messages_.meet(at, true);
    Message& message = messages_[number];
    message.send = stream.posted();
    message.send.point = paths_.here(stream.number);
    message.mode = roles_[envelope.function].mode;
    message.bytes = envelope.bytes;
    message.same_host = reading_.rank(stream.rank).host == reading_.rank(messages_.ends(at).destination).host;
    needs.push_back({.kind = Need::Kind::sent, .index = number});
    if (message.receive.awaited) needs_.met(message.receive.stream, Need::Kind::received, number);
    std::uint32_t& prober = messages_.prober(at);
    if (prober != kNothing && !message.receive.there) {
        needs_.met(std::exchange(prober, kNothing), Need::Kind::probed, at);
    }
}

void Posting::post_receive(const Stream& stream, std::int32_t object, mpi::Selector from, Posted posted,
                           std::vector<Need>& needs) {
    const std::uint32_t channel =
        from.source < 0 ? kNothing : channel_of(stream.rank, object, from.source, trace::kNone, from.tag);
    if (channel == kNothing) {
        paths_.drop(posted.point);
        return;
    }
    const std::uint32_t number = messages_.meet(channel, false);
    Message& message = messages_[number];
    // Only a send that is not complete yet may have waited for this receive.
    const bool is_needed = !message.send.there || !message.send.done;
    if (!is_needed) {
        paths_.drop(posted.point);
    } else if (posted.point.node == PathPoint::kNowhere && posted.call + 1 == stream.history->end()) {
        posted.point = paths_.here(stream.number);
    }
    message.receive = posted;
    needs.push_back({.kind = Need::Kind::received, .index = number});
    if (message.send.there && message.send.done) needs_.learn_eager(message, posted.begin_ns);
    if (message.send.awaited) needs_.met(message.send.stream, Need::Kind::sent, number);
}

void Posting::arrive(const Stream& stream, std::uint32_t group, std::uint64_t number, const Part& part) {
    for (const std::uint32_t parked : in_flight_.groups[group].arrive(number, part, stream.number, stream.begin_ns,
                                                                      stream.history->end() - 1, paths_)) {
        needs_.met(parked, Need::Kind::collective, group);
    }
}

void Posting::take_part(const Stream& stream, std::uint32_t function, std::int32_t object, std::int32_t root,
                        std::vector<Need>& needs) {
    Part part{.role = roles_[function].role};
    Object* over = object_of(stream.rank, object);
    if (part.role == Role::none || over == nullptr) return;
    const trace::TraceObject& described = job_.objects[over->job_object];
    if (part.role == Role::from_root || part.role == Role::to_root) {
        part.bystander = root == trace::kProcNull;
        part.root = root == trace::kOwnGroup ||
                    (!described.intercommunicator &&
                     members_.world_rank(over->job_object, root) == reading_.rank(stream.rank).rank);
    } else if (part.role == Role::scan) {
        const std::int64_t member = members_.rank_in(over->job_object, reading_.rank(stream.rank).rank);
        const std::int64_t size = std::max<std::int64_t>(0, described.size);
        part.member = static_cast<std::uint32_t>(member < 0 ? size : std::min(member, size));
    }
    const std::uint64_t number = over->collectives++;
    if (in_flight_.groups[over->group].size() < 2) return;
    needs.push_back({.kind = Need::Kind::collective,
                     .optional = part.role == Role::file,
                     .index = over->group,
                     .number = number,
                     .part = part,
                     .object = static_cast<std::uint32_t>(object)});
    arrive(stream, over->group, number, part);
}

void Posting::post(Stream& stream, const Envelope& envelope, std::vector<Need>& needs, Posted* any,
                   const Parameters* outcome) {
    const bool sends = mpi::sends(envelope.action);
    const bool receives = mpi::receives(envelope.action);
    if (receives) {
        Posted posted = stream.posted();
        mpi::Selector from = envelope.from;
        if (any == nullptr) {
            from.settle(outcome->matched_source, outcome->matched_tag);
        } else if (from.has_wildcard()) {
            if (from.source != trace::kProcNull) {
                posted.point = paths_.here(stream.number);
                *any = std::exchange(posted, {});
            }
            from.source = trace::kNone;
        }
        post_receive(stream, envelope.object, from, posted, needs);
    }
    if (sends) post_send(stream, envelope, needs);
    if (sends || receives) return;
    if (roles_[envelope.function].role == Role::neighbours) {
        meet_neighbours(stream, envelope, needs);
    } else {
        take_part(stream, envelope.function, envelope.object, envelope.peer, needs);
    }
}

}  // namespace waywiser::explain
