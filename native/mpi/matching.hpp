/// Matching of sends and receives: the calls of a rank with the operations that they start and complete.
///
/// MPI keeps messages of one communicator, two ranks and one tag in order (MPI 4.1, section 3.5), so that the n-th
/// message sent is the n-th message received. Each end of a message is therefore known from its own rank's calls alone,
/// and ranks can be read one after another, or all at once.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpi/groups.hpp"
#include "trace/reading/trace_reader.hpp"

namespace waywiser::mpi {

using trace::kAny;
using trace::kNone;
using trace::Parameters;
using trace::TracedCall;
using trace::TraceFile;

/// The key that both ends of a message share, unique in the job.
struct MessageKey {
    std::uint64_t context = 0;         ///< TraceObject::context
    std::int64_t source = kNone;       ///< world rank
    std::int64_t destination = kNone;  ///< world rank
    std::int32_t tag = kNone;
    std::uint64_t number = 0;  ///< number of the message with these four values, from 0

    [[nodiscard]] auto operator<=>(const MessageKey&) const = default;
};

/// A hash of 64 bits that two of 10^8 messages share with a probability of 0.0003.
[[nodiscard]] std::uint64_t message_id(const MessageKey& key);

struct MessageKeyHash {
    std::size_t operator()(const MessageKey& key) const { return message_id(key); }
};

/// An operation that a call started and that this or a later call of the rank completes.
struct Operation {
    enum class Kind : std::uint8_t {
        send,
        receive,
        collective,  ///< `key` has the context and the operation's number among its collectives
        other,       ///< no other rank takes part: a message to MPI_PROC_NULL, an RMA request
    };

    Kind kind = Kind::other;
    bool known = true;     ///< false: the receive never reported its message, or got none
    std::uint64_t id = 0;  ///< number on the rank, from 0, in the order in which operations start
    MessageKey key = {};
    std::uint64_t bytes = 0;     ///< sent, or made ready to receive
    std::uint32_t thread = 0;    ///< thread of the call that started it
    std::uint64_t begin_ns = 0;  ///< start of the call that started it
    Parameters parameters = {};  ///< parameters of the call that described it (MPI_Send_init, …), without requests
    std::vector<std::uint64_t> counts;  ///< counts of the call that described a collective
};

/// A call of a rank. Valid until the next call is read.
struct RankCall {
    std::size_t stream = 0;  ///< index into TraceJob::streams
    TracedCall call = {};
    Parameters parameters = {};
    std::vector<std::shared_ptr<Operation>> began;
    std::vector<std::shared_ptr<Operation>> completed;

    [[nodiscard]] bool completes(const std::shared_ptr<Operation>& operation) const {
        return std::ranges::find(completed, operation) != completed.end();
    }
};

/// The calls of one rank, all threads together, by their ends.  A call is returned once it is known which messages its
/// receives got. A receive from any source therefore delays the calls after it until it is complete, but at most
/// kMostHeld calls.
class RankCalls {
public:
    static constexpr std::size_t kMostHeld = std::size_t{1} << 16U;

    /// \param rank  index into TraceJob::ranks
    RankCalls(const TraceFile& trace, const Groups& groups, std::size_t rank);
    RankCalls(RankCalls&&) noexcept;
    ~RankCalls();

    [[nodiscard]] bool next();
    [[nodiscard]] const RankCall& call() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Pairs the two ends of messages. Memory is bounded by the messages in flight if ranks are read in the order of time.
template <class End>
class MessagePairs {
public:
    /// \return the other end, if it has arrived already
    std::optional<End> meet(const MessageKey& key, const End& end) {
        const auto [place, fresh] = ends_.try_emplace(key, end);
        if (fresh) return std::nullopt;
        const End earlier = place->second;
        ends_.erase(place);
        return earlier;
    }

    [[nodiscard]] std::size_t alone() const { return ends_.size(); }

private:
    std::unordered_map<MessageKey, End, MessageKeyHash> ends_;
};

/// The calls of all ranks by their ends.
class JobCalls {
public:
    JobCalls(const TraceFile& trace, const Groups& groups);

    [[nodiscard]] bool next();
    [[nodiscard]] const RankCall& call() const { return ranks_[rank_].call(); }
    [[nodiscard]] std::size_t rank() const { return rank_; }  ///< index into TraceJob::ranks

private:
    using Turn = std::pair<std::uint64_t, std::size_t>;  ///< end of a call, and its rank

    void advance(std::size_t rank);

    std::vector<RankCalls> ranks_;
    std::vector<Turn> turns_;  ///< a heap, the earliest first
    std::size_t rank_ = 0;
    bool started_ = false;
};

}  // namespace waywiser::mpi
