/// The wait analysis at work: streams advance as far as what they wait for has been read.
///
/// Each rank's calls are read in their order, and a call ends only once the calls of others that it waited for have
/// been read. Like a network of processes that block on their inputs, this needs no event queue (Kahn: The semantics of
/// a simple language for parallel programming, IFIP 1974). A horizon in time, up to which all ranks read before it
/// moves on, bounds what is in flight.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "explain/collective_order.hpp"
#include "explain/critical_path.hpp"
#include "explain/delays.hpp"
#include "explain/history.hpp"
#include "explain/lock_order.hpp"
#include "explain/matching.hpp"
#include "explain/waits.hpp"
#include "mpi/groups.hpp"
#include "mpi/neighbours.hpp"
#include "mpi/requests.hpp"
#include "mpi/windows.hpp"

namespace waywiser::explain {

using mpi::Envelope;
using mpi::Epoch;

/// Something that a call needs of others before it can end.
struct Need {
    enum class Kind : std::uint8_t { sent, received, probed, collective, unlocked };

    Kind kind = Kind::received;
    bool missing = false;
    bool optional = false;             ///< the call may end without it
    Wait wait = Wait::late_sender;     ///< of what is received
    std::uint32_t index = 0;           ///< of the message, the channel or the group
    std::uint64_t number = 0;          ///< of the collective; 1: of a lock that is exclusive
    Part part = {};                    ///< of the collective
    std::uint32_t object = 0;          ///< of the rank
    std::int32_t peer = trace::kNone;  ///< of a window: the target, or the origin; kAny: all
};

/// What a request stands for.
struct Request {
    bool persistent = false;
    Envelope prepared;
    std::vector<Need> needs;
    Posted any;  ///< a receive that names no source or tag, until it is known which message it got

    /// The number is free, and taken for another one.
    void renew(const Envelope& envelope, bool stays) {
        prepared = envelope;
        persistent = stays;
        needs.clear();
        if (any.there) any = {};
    }
};

/// Polls that found nothing and between which a stream did nothing else: its latest segment.
struct Spin {
    std::uint64_t polls = 0;  ///< 0: it does not spin
    std::uint64_t begin_ns = 0;
    std::uint64_t within_ns = 0;  ///< the polls
    std::uint64_t before_ns = 0;  ///< end of the call before
    std::uint32_t place_before = 0;
};

struct StreamState {
    trace::Cursor cursor;
    std::uint32_t number = 0;
    std::uint32_t rank = 0;  ///< index
    History* history = nullptr;
    bool finished = false;
    bool in_call = false;
    bool parked = false;
    std::uint64_t begin_ns = 0;  ///< of the call at hand
    std::uint64_t end_ns = 0;
    std::uint64_t last_end_ns = 0;
    std::uint32_t place = 0;      ///< of the last call
    std::uint64_t within_ns = 0;  ///< time that the call takes of the stream
    std::uint32_t missing = 0;    ///< needs that are not met yet
    std::vector<Need> needs;      ///< of the call at hand
    Spin spin;

    /// When it does its next step.
    [[nodiscard]] std::uint64_t next_ns() const {
        if (finished) return std::numeric_limits<std::uint64_t>::max();
        return in_call ? end_ns : begin_ns;
    }
};

/// A lock of a window that a rank asked for and has not given back.
struct Lock {
    std::int32_t target = trace::kAny;
    bool exclusive = false;
    bool held = false;  ///< for sure: MPI_Win_lock may return before it is
};

/// What a rank's epochs of a window, or its split collective of a file, have come to.
struct Epochs {
    std::vector<Need> open;  ///< what its calls ended without, and later ones may wait for
    mpi::EpochPartners with;
    std::uint64_t operated_ns = 0;  ///< end of the access epoch's last operation, or of its start
    std::vector<Lock> locks;
};

/// A communicator, a window or a file as one rank has it.
struct RankObject {
    std::uint32_t group = 0;
    std::uint32_t job_object = 0;
    std::uint64_t collectives = 0;
    std::uint64_t synchronised_ns = 0;
    std::unique_ptr<Epochs> epochs;
    std::shared_ptr<const mpi::Neighbours> neighbours;  ///< null: not known
};

/// A channel that a rank used lately.
struct RecentChannel {
    static constexpr std::size_t kMost = 16;

    std::int32_t object = trace::kNone;
    std::int32_t from = trace::kNone;
    std::int32_t to = trace::kNone;
    std::int32_t tag = trace::kNone;
    std::uint32_t number = 0;

    [[nodiscard]] static std::size_t slot(std::int32_t object, std::int32_t from, std::int32_t to, std::int32_t tag) {
        const auto hash = static_cast<std::uint32_t>(object) * 7U + static_cast<std::uint32_t>(from) * 5U +
                          static_cast<std::uint32_t>(to) * 3U + static_cast<std::uint32_t>(tag);
        return hash % kMost;
    }
};

struct RankState {
    std::int64_t rank = 0;
    std::uint32_t host = 0;
    std::vector<std::uint32_t> streams;
    mpi::RequestTable<Request> requests;
    std::vector<RankObject> objects;
    std::array<RecentChannel, RecentChannel::kMost> channels = {};
    std::uint64_t synchronised_ns = 0;  ///< with all ranks
    std::uint64_t remembers_ns = 0;     ///< since the time before: others may still be about to leave that call
    bool finished = false;
};

class WaitAnalyser {
public:
    WaitAnalyser(const trace::TraceFile& trace, const TimeWindow& counted, Progress* progress);

    [[nodiscard]] WaitAnalysis analyse();

private:
    using Clock = std::uint64_t;

    /// What ended the wait of a call.
    struct Ended {
        Wait wait;
        Clock ns;
        std::uint32_t awaited;
        std::uint64_t call;
        const PathPoint* point;
        const Need* need;
        bool counts;  ///< as waiting; MPI_Finalize ends all chains, but is not measured
    };

    /// How far a rank has been read.
    struct Reader {
        Clock up_to_ns;
        std::uint32_t rank;
    };

    // The schedule (waits.cpp).
    void run();
    [[nodiscard]] std::uint32_t earliest_of(const RankState& rank) const;
    void advance(std::uint32_t rank, Clock horizon);
    void advance_threads(const RankState& rank, Clock horizon);
    void drain(Clock horizon);
    void read_next(StreamState& stream);
    void finish_rank(std::uint32_t rank);
    bool release_those_in_vain(Clock horizon);
    bool release_earliest();
    void release(std::uint32_t stream, Need& need);
    void met(std::uint32_t stream, Need::Kind kind, std::uint32_t index);
    void wake(std::uint32_t stream);
    [[nodiscard]] Clock read_up_to(const RankState& rank) const;
    [[nodiscard]] bool in_vain(const StreamState& stream, const Need& need);
    [[nodiscard]] Clock read_by_others(std::uint32_t rank);

    // What a call posts (wait_calls.cpp, wait_messages.cpp).
    void begin_call(StreamState& stream);
    void post(StreamState& stream, const trace::Parameters& call);
    void post(StreamState& stream, const Envelope& envelope, std::vector<Need>& needs, Posted* any,
              const trace::Parameters* outcome);
    [[nodiscard]] static Posted posted_by(const StreamState& stream);
    void post_send(StreamState& stream, const Envelope& envelope, std::vector<Need>& needs);
    void post_receive(StreamState& stream, std::int32_t object, mpi::Selector from, Posted posted,
                      std::vector<Need>& needs);
    void take_part(StreamState& stream, std::uint32_t function, std::int32_t object, std::int32_t root,
                   std::vector<Need>& needs);
    void complete(StreamState& stream, const trace::Parameters& call);
    void probe(StreamState& stream, const trace::Parameters& call);
    void cancel(Request& request);
    void join_spin(StreamState& stream);
    void make_room(const StreamState& stream);
    [[nodiscard]] static Clock within_ns(const StreamState& stream);
    RankObject* object_of(std::uint32_t rank, std::int32_t number) {
        return mpi::numbered(ranks_[rank].objects, number);
    }
    /// kNothing if the trace does not know the other rank.
    [[nodiscard]] std::uint32_t channel_of(std::uint32_t rank, std::int32_t object, std::int32_t from, std::int32_t to,
                                           std::int32_t tag) {
        const RecentChannel& recent = ranks_[rank].channels[RecentChannel::slot(object, from, to, tag)];
        const bool known = recent.object == object && recent.from == from && recent.to == to && recent.tag == tag;
        return known ? recent.number : find_channel(rank, object, from, to, tag);
    }
    [[nodiscard]] std::uint32_t find_channel(std::uint32_t rank, std::int32_t object, std::int32_t from,
                                             std::int32_t to, std::int32_t tag);
    [[nodiscard]] bool lacks(const StreamState& stream, const Need& need);
    [[nodiscard]] bool may_synchronise(const Message& message) const;

    // Epochs of windows, split collectives of files, neighbourhoods (wait_epochs.cpp).
    struct EpochCall;
    void follow_epoch(StreamState& stream, const trace::Parameters& call);
    void resume(Epochs& epochs, std::int32_t target, std::vector<Need>& needs);
    void expect(StreamState& stream, std::int32_t object, std::int32_t from, std::int32_t tag, const Need& kind,
                std::vector<Need>& needs);
    void seek_locks(StreamState& stream, std::int32_t object, std::int32_t target, std::vector<Need>& needs);
    void hold(std::uint32_t rank, const Need& wanted);
    void give_back(StreamState& stream, std::int32_t object, std::int32_t target);
    void meet_neighbours(StreamState& stream, const Envelope& envelope, std::vector<Need>& needs);
    bool put_off(const StreamState& stream, const Need& need);

    // What it waited for (wait_states.cpp).
    void end_call(StreamState& stream);
    [[nodiscard]] std::optional<Ended> what_ended(StreamState& stream);
    [[nodiscard]] static Ended ended_by(const Arrival& arrival, Wait wait, const Need& need);
    [[nodiscard]] bool came_in_time(const StreamState& root, const Arrival& arrival) const;
    [[nodiscard]] bool came(const StreamState& stream, const Need& need);
    void wait_ended(StreamState& stream, const Ended& ended);
    void count_wait(StreamState& stream, const Ended& ended);
    void add_over_time(Wait wait, Clock begin_ns, Clock end_ns);
    void leave(StreamState& stream, const Need& need);
    [[nodiscard]] Clock tolerance(const RankState& a, const RankState& b) const;
    void learn_eager(const Message& message, Clock posted_ns);

    // What it gives (wait_result.cpp).
    [[nodiscard]] WaitAnalysis result();

    const trace::TraceFile& trace_;
    TimeWindow counted_;
    Progress* progress_;
    const trace::TraceJob& job_;
    mpi::Groups members_;
    std::vector<mpi::CallRole> operations_;  ///< by function
    Stretches stretches_;
    std::vector<History> histories_;
    CriticalPaths paths_;
    Delays delays_;
    Matching messages_;
    std::vector<Group> groups_;
    std::map<std::uint32_t, LockOrder> locks_;  ///< by group of the window
    std::vector<StreamState> streams_;
    std::vector<RankState> ranks_;
    std::vector<std::int32_t> rank_index_;  ///< by world rank; -1: not in the trace
    std::uint32_t world_ = 0;               ///< group of MPI_Finalize
    std::vector<std::uint32_t> runnable_;
    std::uint64_t eager_bytes_[2] = {0, 0};  ///< proven for standard sends: between hosts, within one
    bool incomplete_ = false;
    Clock origin_ns_ = 0;
    std::uint64_t steps_ = 0;
    std::optional<std::array<Reader, 2>> slowest_;  ///< ranks that have been read the least far

    struct Pair {
        std::uint64_t ns = 0;
        std::uint64_t calls = 0;
        Clock synchronised_ns = 0;
    };
    /// The lower rank << 32 | the higher one: how the lower one waited for the higher one, and the other way round.
    FlatMap<std::array<Pair, 2>> pairs_;
    std::vector<RankWaits> waits_;
    WaitsOverTime over_time_;
    std::uint64_t unmatched_receives_ = 0;
    std::uint64_t unmatched_collectives_ = 0;
    std::uint64_t violations_ = 0;
    std::uint64_t unknown_peers_ = 0;
    std::uint64_t not_followed_ = 0;
    std::uint64_t lost_chains_ = 0;
};

}  // namespace waywiser::explain
