/// Messages on their way: the n-th one sent on a channel is the n-th one received (MPI 4.1, section 3.5).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/flat_map.hpp"

namespace waywiser::simulate {

inline constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();

/// The chain of computing and messages that leads to a moment, by parts; what is none of these is computing.
struct Path {
    double overhead_ns = 0;
    double latency_ns = 0;
    double transfer_ns = 0;
};

/// A time, and the chain that leads to it.
struct Moment {
    double ns = 0;
    Path path = {};
};

struct Message {
    Moment available;    ///< when its receiver can take it; before it is sent, when its receive was posted
    double sent_ns = 0;  ///< begin of the send
    double busy_ns = 0;  ///< of the receiver's processor
    std::uint32_t handshake = kNothing;  ///< until that is over
    bool taken = false;
};

/// Messages from one rank to another with one tag over one communicator.
class Channel {
public:
    std::uint32_t sent = 0;
    std::uint32_t claimed = 0;        ///< by receives, in the order of their posting
    std::uint32_t waiter = kNothing;  ///< actor that is parked until the next one is sent
    [[nodiscard]] Message& operator[](std::uint32_t number) {
        return far_ ? (*far_)[number & (far_->size() - 1)] : near_[number & 1U];
    }

    /// Makes room for that message.
    void reserve(std::uint32_t number) {
        if (number - first_ >= (far_ ? far_->size() : near_.size())) grow();
    }

    /// The message is not needed any more.
    void take(std::uint32_t number) {
        (*this)[number].taken = true;
        while (first_ < sent && first_ < claimed && (*this)[first_].taken) (*this)[first_++] = {};
    }

private:
    void grow();

    std::uint32_t first_ = 0;  ///< that is still needed
    std::array<Message, 2> near_{};
    std::unique_ptr<std::vector<Message>> far_;
};

struct ChannelKey {
    std::uint32_t group = 0;
    std::int32_t tag = 0;  ///< negative: of what is no message of the program
    std::uint32_t source = 0;
    std::uint32_t destination = 0;

    [[nodiscard]] bool operator==(const ChannelKey&) const = default;
};

struct ChannelHash {
    std::uint64_t operator()(const ChannelKey& key) const {
        const std::uint64_t ends = std::uint64_t{key.source} << 32U | key.destination;
        const std::uint64_t kind = std::uint64_t{key.group} << 32U | static_cast<std::uint32_t>(key.tag);
        return scattered(ends + kind * 0xd6e8feb86659fd93U);
    }
};

class Channels {
public:
    /// \return the number of the channel, which is made if there is none
    std::uint32_t number(const ChannelKey& key);

    [[nodiscard]] Channel& operator[](std::uint32_t number) { return blocks_[number / kBlock][number % kBlock]; }
    [[nodiscard]] const ChannelKey& key(std::uint32_t number) const { return keys_[number]; }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }

private:
    static constexpr std::uint32_t kBlock = 4096;

    FlatMap<std::uint32_t, ChannelKey, ChannelHash> numbers_;  ///< plus 1
    std::vector<ChannelKey> keys_;
    std::vector<std::unique_ptr<Channel[]>> blocks_;  ///< channels stay where they are
};

}  // namespace waywiser::simulate
