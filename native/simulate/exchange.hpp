/// Messages between parts of the ranks, each evaluated by its own thread.
///
/// Results do not depend on when letters arrive (replayer.hpp), so that a thread waits only for the parts whose
/// messages it lacks, and the result does not depend on threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "simulate/state.hpp"

namespace waywiser::simulate {

/// Numbers of channels that lead to another part have this bit.
inline constexpr std::uint32_t kAway = 1U << 31U;

/// Data that one part sends to another.
struct Letters {
    struct Sent {
        std::uint32_t channel = 0;  ///< number among all letters, in the order of `channels`
        Message message;            ///< `handshake` is the index in `requests`, if the message has one
    };
    struct Left {
        std::uint32_t handshake = 0;  ///< number in the part that receives the letter
        Timestamp left;
        double posted_ns = 0;
    };

    struct Grant {
        std::uint32_t handshake = 0;  ///< number in the sender's part, which receives the letter
        std::uint32_t receivers = 0;  ///< number in the receiver's part, which grants
        Timestamp ready;
        double posted_ns = 0;
    };
    struct Arrival {
        std::uint32_t handshake = 0;  ///< number in the receiver's part, which receives the letter
        Timestamp available;
        float flight_ns = 0;
    };

    std::uint32_t from = 0;
    std::vector<ChannelKey> channels;  ///< new channels
    std::vector<Sent> messages;        ///< in the order in which they were sent
    std::vector<Handshake> requests;
    std::vector<Left> lefts;  ///< departures of long messages whose receives are posted
    // The following are used if handshakes wait for calls of both sides.
    std::vector<Grant> grants;
    std::vector<Arrival> arrivals;  ///< arrivals of data that were granted

    [[nodiscard]] bool empty() const { return messages.empty() && lefts.empty() && grants.empty() && arrivals.empty(); }
};

class Exchange {
public:
    explicit Exchange(std::size_t parts) : boxes_(parts), idle_(parts) {}

    void post(std::uint32_t to, Letters letters);

    /// The letters for a part. An idle part waits for letters.
    ///
    /// \return none to an idle part if all parts are idle
    [[nodiscard]] std::vector<Letters> collect(std::uint32_t part, bool idle);

    /// Ends all waiting after a part has failed.
    void stop();

private:
    /// Letters for a part, which are read after each round; each box has a cache line of its own.
    struct alignas(64) Box {
        std::atomic<bool> full = false;  ///< may be read without the lock
        std::vector<Letters> letters;
    };

    std::mutex lock_;
    std::condition_variable changed_;
    std::vector<Box> boxes_;  ///< indexed by part
    std::vector<bool> idle_;
    std::size_t idle_count_ = 0;
    bool over_ = false;
};

/// A part's outgoing letters until they are handed over, and the channels that lead to other parts.
class Mail {
public:
    Mail(std::uint32_t part, std::size_t parts) : part_(part), letters_(parts), counts_(parts) {}

    /// \return the number of a channel that leads to that part
    [[nodiscard]] std::uint32_t channel(const ChannelKey& key, std::uint32_t part) {
        const std::uint32_t number = keys_.number(key);
        if (number == channels_.size()) {
            channels_.push_back({.part = part, .number = counts_[part]++});
            letters_[part].channels.push_back(key);
        }
        return number | kAway;
    }
    [[nodiscard]] const ChannelKey& key(std::uint32_t channel) const { return keys_.key(channel & ~kAway); }

    [[nodiscard]] Letters& to(std::uint32_t part) { return letters_[part]; }

    void send(std::uint32_t channel, const Message& message) {
        const Away& away = channels_[channel & ~kAway];
        letters_[away.part].messages.push_back({.channel = away.number, .message = message});
    }

    /// Sends a request whose handshake has this number in this part.
    void request(std::uint32_t channel, const Handshake& handshake, std::uint32_t number);

    void hand_over(Exchange& exchange);

private:
    struct Away {
        std::uint32_t part = 0;
        std::uint32_t number = 0;  ///< number among the channels that lead to that part
    };

    std::uint32_t part_;  ///< part that sends
    std::vector<Letters> letters_;
    KeyNumbers<ChannelKey, ChannelHash> keys_;
    std::vector<Away> channels_;
    std::vector<std::uint32_t> counts_;  ///< indexed by part
};

}  // namespace waywiser::simulate
