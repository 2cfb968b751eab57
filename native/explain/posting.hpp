/// Posts the messages, collectives and epochs of calls, and determines the needs of each call.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "explain/epochs.hpp"
#include "explain/needs.hpp"
#include "mpi/groups.hpp"
#include "mpi/neighbours.hpp"
#include "mpi/requests.hpp"

namespace waywiser::explain {

using mpi::Envelope;
using mpi::Epoch;

class Posting {
public:
    Posting(const trace::TraceJob& job, Reading& reading, InFlight& in_flight, CriticalPaths& paths, Needs& needs,
            Omissions& omissions);

    /// Posts the operations of the current call and records its needs.
    void post(Stream& stream);

    /// Called after the rank's last call: no stream waits for further calls of the rank.
    void finish(std::uint32_t rank);

    [[nodiscard]] const mpi::CallRole& role(std::uint32_t function) const { return roles_[function]; }

    /// True if a later call of the epoch may wait for a need that was open when this call ended.
    bool put_off(const Stream& stream, const Need& need);
    /// Marks a lock as held after the rank has waited for it.
    void hold(std::uint32_t rank, const Need& lock);

private:
    /// The pending operations of a request.
    struct Request {
        bool persistent = false;
        Envelope prepared;
        std::vector<Need> needs;
        Posted any;  ///< a wildcard receive, until its message is known

        /// Resets the request, whose number is reused for a new one.
        void renew(const Envelope& envelope, bool stays) {
            prepared = envelope;
            persistent = stays;
            needs.clear();
            if (any.there) any = {};
        }
    };

    /// A communicator, a window or a file as seen by one rank.
    struct Object {
        std::uint32_t group = 0;
        std::uint32_t job_object = 0;
        std::uint64_t collectives = 0;
        std::unique_ptr<Epochs> epochs;
        std::shared_ptr<const mpi::Neighbours> neighbours;  ///< null: unknown

        [[nodiscard]] Epochs& followed() {
            if (!epochs) epochs = std::make_unique<Epochs>();
            return *epochs;
        }
    };

    /// A recently used channel of a rank.
    struct RecentChannel {
        static constexpr std::size_t kMost = 16;

        std::int32_t object = trace::kNone;
        std::int32_t from = trace::kNone;
        std::int32_t to = trace::kNone;
        std::int32_t tag = trace::kNone;
        std::uint32_t number = 0;

        [[nodiscard]] static std::size_t slot(std::int32_t object, std::int32_t from, std::int32_t to,
                                              std::int32_t tag) {
            const auto hash = static_cast<std::uint32_t>(object) * 7U + static_cast<std::uint32_t>(from) * 5U +
                              static_cast<std::uint32_t>(to) * 3U + static_cast<std::uint32_t>(tag);
            return hash % kMost;
        }
    };

    struct RankState {
        mpi::RequestTable<Request> requests;
        std::vector<Object> objects;
        std::array<RecentChannel, RecentChannel::kMost> channels = {};
    };

    // Messages and collectives (posting.cpp, posting_messages.cpp).
    void post(Stream& stream, const Envelope& envelope, std::vector<Need>& needs, Posted* any,
              const trace::Parameters* outcome);
    void post_send(const Stream& stream, const Envelope& envelope, std::vector<Need>& needs);
    void post_receive(const Stream& stream, std::int32_t object, mpi::Selector from, Posted posted,
                      std::vector<Need>& needs);
    void take_part(const Stream& stream, std::uint32_t function, std::int32_t object, std::int32_t root,
                   std::vector<Need>& needs);
    void arrive(const Stream& stream, std::uint32_t group, std::uint64_t number, const Part& part);
    void complete(Stream& stream, const trace::Parameters& call);
    void probe(Stream& stream, const trace::Parameters& call);
    void cancel(Request& request);
    Object* object_of(std::uint32_t rank, std::int32_t number) { return mpi::numbered(ranks_[rank].objects, number); }
    /// The channel, or kNothing if the trace does not contain the other rank.
    [[nodiscard]] std::uint32_t channel_of(std::uint32_t rank, std::int32_t object, std::int32_t from, std::int32_t to,
                                           std::int32_t tag) {
        const RecentChannel& recent = ranks_[rank].channels[RecentChannel::slot(object, from, to, tag)];
        const bool known = recent.object == object && recent.from == from && recent.to == to && recent.tag == tag;
        return known ? recent.number : find_channel(rank, object, from, to, tag);
    }
    [[nodiscard]] std::uint32_t find_channel(std::uint32_t rank, std::int32_t object, std::int32_t from,
                                             std::int32_t to, std::int32_t tag);

    // Epochs of windows, split collectives of files, neighbourhoods (posting_epochs.cpp).
    struct EpochCall;
    void follow_epoch(Stream& stream, const trace::Parameters& call);
    void expect(const Stream& stream, std::int32_t object, std::int32_t from, std::int32_t tag, const Need& kind,
                std::vector<Need>& needs);
    void meet_neighbours(const Stream& stream, const Envelope& envelope, std::vector<Need>& needs);

    const trace::TraceJob& job_;
    Reading& reading_;
    InFlight& in_flight_;
    Matching& messages_;
    CriticalPaths& paths_;
    Needs& needs_;
    Omissions& omissions_;
    mpi::Groups members_;
    std::vector<mpi::CallRole> roles_;      ///< indexed by function
    std::vector<std::int32_t> rank_index_;  ///< by world rank; -1: the trace does not contain the rank
    std::vector<RankState> ranks_;
};

}  // namespace waywiser::explain
