/// Messages on their way: sends and receives of the same channel meet in the order of their posting.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/flat_map.hpp"
#include "explain/critical_path.hpp"
#include "mpi/channel_key.hpp"
#include "mpi/windows.hpp"

namespace waywiser::explain {

using mpi::ChannelHash;
using mpi::ChannelKey;
using mpi::SendMode;

inline constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();

/// One end of a message: the call that posted it.
struct Posted {
    bool there = false;
    bool done = true;      ///< its call, or the one that completes its request, needs the message no more
    bool awaited = false;  ///< the other side's stream is parked until this one is there
    std::uint32_t stream = kNothing;
    std::uint64_t begin_ns = 0;
    std::uint64_t call = 0;  ///< in the stream's history
    PathPoint point = {};
};

struct Message {
    Posted send;
    Posted receive;
    SendMode mode = SendMode::standard;
    bool same_host = false;
    std::uint64_t bytes = 0;
    std::uint64_t send_end_ns = 0;  ///< of the call that completed the send; 0: not yet
    std::uint64_t ready_ns = 0;     ///< of the end of an access epoch: when its last operation was over
    std::uint32_t channel = kNothing;
    std::uint32_t next = kNothing;  ///< in the channel's queue, or of the free ones
};

/// The tag of a part of a neighbourhood collective, beside those of mpi::EpochSignal.
inline constexpr std::int32_t kToNeighbour = -12;

/// What is posted and has met no partner: sends or receives, never both.
struct Channel {
    std::uint32_t first = kNothing;
    std::uint32_t last = kNothing;
    bool sends = false;
    std::uint32_t prober = kNothing;  ///< stream that is parked in a probe
    std::uint32_t source = 0;
    std::uint32_t destination = 0;
    bool signals = false;  ///< of epochs or neighbours, and no messages of the program
    bool same_host = false;
};

class Matching {
public:
    /// \return number of the channel
    std::uint32_t channel(const ChannelKey& key);
    [[nodiscard]] Channel& operator()(std::uint32_t channel) { return channels_[channel]; }
    [[nodiscard]] Message& operator[](std::uint32_t message) { return messages_[message]; }

    /// The message that a send, or a receive, of this channel meets: one that waits there, or a new one that
    /// waits from now on.
    std::uint32_t meet(std::uint32_t channel, bool send) {
        Channel& at = channels_[channel];
        if (at.first == kNothing || at.sends == send) return queue(at, channel, send);
        const std::uint32_t met = at.first;
        at.first = messages_[met].next;
        messages_[met].channel = kNothing;
        return met;
    }

    /// Takes a message that met no partner out of its channel.
    void forget(std::uint32_t message);

    /// To be called when both ends are done.
    void free(std::uint32_t message) { messages_[message].next = std::exchange(free_, message); }

    /// Posted and without a partner; signals do not count.
    [[nodiscard]] std::uint64_t left(bool sends) const;

private:
    std::uint32_t queue(Channel& channel, std::uint32_t number, bool send);

    FlatMap<std::uint32_t, ChannelKey, ChannelHash> numbers_;  ///< plus 1
    std::vector<Channel> channels_;
    std::vector<Message> messages_;
    std::uint32_t free_ = kNothing;
};

}  // namespace waywiser::explain
