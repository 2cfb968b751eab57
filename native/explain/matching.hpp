/// Messages in flight: the two ends of each message, and the calls that posted them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/pool.hpp"
#include "explain/critical_path.hpp"
#include "mpi/channels.hpp"
#include "mpi/windows.hpp"

namespace waywiser::explain {

using mpi::ChannelKey;
using mpi::kNothing;
using mpi::SendMode;

/// One end of a message: the call that posted it.
struct Posted {
    bool there = false;
    bool done = true;      ///< the call, or the call that completes its request, no longer needs the message
    bool awaited = false;  ///< the other side's stream is parked until this end is posted
    std::uint32_t stream = kNothing;
    std::uint64_t begin_ns = 0;
    std::uint64_t call = 0;  ///< number in the stream's history
    PathPoint point = {};
};

struct Message {
    Posted send;
    Posted receive;
    SendMode mode = SendMode::standard;
    bool same_host = false;
    std::uint64_t bytes = 0;
    std::uint64_t send_end_ns = 0;  ///< end of the call that completed the send; 0: not complete yet
    std::uint64_t ready_ns = 0;     ///< for the end of an access epoch: completion of its last operation
    std::uint32_t channel = kNothing;
};

/// The tag of a neighbourhood collective's messages, in addition to the tags of mpi::EpochSignal.
inline constexpr std::int32_t kToNeighbour = -12;

/// Messages by number, each until both of its ends are done.
class Matching {
public:
    /// \return number of the channel
    [[nodiscard]] std::uint32_t channel(const ChannelKey& key) { return channels_.number(key); }
    [[nodiscard]] const ChannelKey& ends(std::uint32_t channel) const { return channels_.key(channel); }
    [[nodiscard]] Message& operator[](std::uint32_t message) { return messages_[message]; }

    /// The message of a send or a receive on this channel: a waiting message of the other side, or a new message, which
    /// waits from now on.
    std::uint32_t meet(std::uint32_t channel, bool send) {
        Channel& at = channels_[channel];
        // The counters are reset, so that traces of any length can be counted.
        if (at.sent == at.claimed) at.sent = at.claimed = at.first = 0;
        std::uint32_t& posted = send ? at.sent : at.claimed;
        const bool meets = posted < (send ? at.claimed : at.sent);
        std::uint32_t& message = at.next(posted);
        if (meets) {
            at.pass();
        } else {
            message = messages_.acquire();
            messages_[message] = {.send = {}, .receive = {}, .channel = channel};
        }
        return message;
    }

    /// Removes a receive without a send, so that later receives move up.
    void withdraw(std::uint32_t message) {
        Channel& at = channels_[messages_[message].channel];
        std::uint32_t number = at.sent;
        while (at.message(number) != message) ++number;
        at.withdraw(number);
        free(message);
    }

    /// Frees a message. Both of its ends must be done.
    void free(std::uint32_t message) { messages_.release(message); }

    /// The send that a probe of the channel finds; null if there is none.
    [[nodiscard]] const Posted* probed(std::uint32_t channel) {
        Channel& at = channels_[channel];
        return at.sent > at.claimed ? &messages_[at.message(at.claimed)].send : nullptr;
    }
    /// The stream that is parked in a probe of the channel.
    [[nodiscard]] std::uint32_t& prober(std::uint32_t channel) { return channels_[channel].waiter; }

    /// True if the channel carries signals of epochs or neighbours, not messages of the program.
    [[nodiscard]] bool are_signals(std::uint32_t channel) const { return ends(channel).tag <= mpi::kPosted; }

    /// Number of posted sends or receives without a partner; signals do not count.
    [[nodiscard]] std::uint64_t left(bool sends) const {
        std::uint64_t number = 0;
        for (std::uint32_t channel = 0; channel < channels_.size(); ++channel) {
            const Channel& at = channels_[channel];
            if (are_signals(channel) || (at.sent > at.claimed) != sends) continue;
            number += sends ? at.sent - at.claimed : at.claimed - at.sent;
        }
        return number;
    }

private:
    using Channel = mpi::Channel<std::uint32_t>;  ///< holds numbers of messages

    mpi::Channels<Channel> channels_;
    Pool<std::vector<Message>> messages_;
};

}  // namespace waywiser::explain
