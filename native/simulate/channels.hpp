/// Messages on their way: the n-th one sent on a channel is the n-th one received (MPI 4.1, section 3.5).
#pragma once

#include <array>
#include <compare>
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
    static constexpr std::uint32_t kTaken = kNothing - 1;

    double available_ns = 0;             ///< its receiver can take it; before it is sent: its receive was posted
    double busy_ns = 0;                  ///< of the receiver's processor
    float flight_ns = 0;                 ///< from the begin of the send; only tells waiting from transfer
    std::uint32_t handshake = kNothing;  ///< until that is over
};

/// Messages from one rank to another with one tag over one communicator: two cache lines, of which the second one has
/// what only some messages touch.
struct alignas(128) Channel {
    using Far = std::vector<std::pair<Message, Path>>;

    std::uint32_t sent = 0;
    std::uint32_t claimed = 0;        ///< by receives, in the order of their posting
    std::uint32_t waiter = kNothing;  ///< actor that is parked until the next one is sent
    std::uint32_t first : 31 = 0;     ///< that is still needed
    std::uint32_t is_far : 1 = 0;     ///< more than two are on their way
    std::array<Message, 2> near = {};
    std::array<Path, 2> near_paths = {};
    std::unique_ptr<Far> far;

    [[nodiscard]] Message& message(std::uint32_t number) {
        return is_far != 0 ? (*far)[number & (far->size() - 1)].first : near[number & 1U];
    }

    /// The chain that leads to the message's time.
    [[nodiscard]] Path& path(std::uint32_t number) {
        return is_far != 0 ? (*far)[number & (far->size() - 1)].second : near_paths[number & 1U];
    }

    /// Makes room for a message.
    void reserve(std::uint32_t number) {
        if (number - first >= near.size()) grow(number);
    }

    /// The message is not needed any more.
    void take(std::uint32_t number) {
        message(number).handshake = Message::kTaken;
        while (first < sent && first < claimed) {
            Message& oldest = message(first);
            if (oldest.handshake != Message::kTaken) return;
            oldest.handshake = kNothing;
            first = (first + 1U) & 0x7FFFFFFFU;
        }
    }

private:
    void grow(std::uint32_t wanted);
};
static_assert(sizeof(Channel) == 128);

struct ChannelKey {
    std::uint32_t group = 0;
    std::int32_t tag = 0;  ///< negative: of what is no message of the program
    std::uint32_t source = 0;
    std::uint32_t destination = 0;

    [[nodiscard]] auto operator<=>(const ChannelKey&) const = default;
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

    [[nodiscard]] Channel& operator[](std::uint32_t number) { return (*blocks_[number / kBlock])[number % kBlock]; }
    [[nodiscard]] const Channel& operator[](std::uint32_t number) const {
        return (*blocks_[number / kBlock])[number % kBlock];
    }
    [[nodiscard]] const ChannelKey& key(std::uint32_t number) const { return keys_[number]; }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }

    /// Soon the next message of the channel is sent, or received.
    void expect(std::uint32_t channel) const {
        const char* begin = reinterpret_cast<const char*>(&(*this)[channel]);
        __builtin_prefetch(begin, 1);
        __builtin_prefetch(begin + sizeof(Channel) / 2, 1);
    }

private:
    static constexpr std::uint32_t kBlock = 4096;
    using Block = std::array<Channel, kBlock>;

    FlatMap<std::uint32_t, ChannelKey, ChannelHash> numbers_;  ///< plus 1
    std::vector<ChannelKey> keys_;
    std::vector<std::unique_ptr<Block>> blocks_;  ///< channels stay where they are
};

}  // namespace waywiser::simulate
