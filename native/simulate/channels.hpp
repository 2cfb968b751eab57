/// Messages on their way: the n-th one sent on a channel is the n-th one received (MPI 4.1, section 3.5).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/key_numbers.hpp"
#include "base/stable_items.hpp"
#include "mpi/channel_key.hpp"
#include "simulate/moment.hpp"

namespace waywiser::simulate {

using mpi::ChannelHash;
using mpi::ChannelKey;

inline constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();

struct Message {
    static constexpr std::uint32_t kTaken = kNothing - 1;
    static constexpr std::uint32_t kFlies = kNothing - 2;  ///< an eager one, on links that others share

    Moment available;                    ///< its receiver can take it; before it is sent: its receive was posted
    double busy_ns = 0;                  ///< of the receiver's processor
    float flight_ns = 0;                 ///< since the send began; only separates waiting from transfer
    std::uint32_t handshake = kNothing;  ///< until that is over; before it is sent: the actor that posted its receive
};

/// Messages from one rank to another with one tag over one communicator. Each of the two cache lines has one of the two
/// messages that may be on their way before further messages need room of their own.
struct alignas(128) Channel {
    std::uint32_t sent = 0;
    std::uint32_t claimed = 0;        ///< by receives, in the order of their posting
    std::uint32_t waiter = kNothing;  ///< actor that is parked until the next one is sent
    std::uint32_t first : 31 = 0;     ///< that is still needed
    std::uint32_t is_far : 1 = 0;     ///< more than two are on their way
    std::array<Message, 2> near = {};
    std::unique_ptr<std::vector<Message>> far;

    [[nodiscard]] Message& message(std::uint32_t number) {
        return is_far != 0 ? (*far)[number & (far->size() - 1)] : near[number & 1U];
    }

    /// The next one that is sent, or whose receive is posted; with room for it.
    [[nodiscard]] Message& next(std::uint32_t& number) {
        if (number - first >= near.size()) grow(number);
        return message(number++);
    }

    /// The message is not needed any more.
    void take(std::uint32_t number) {
        if (number != first) {
            message(number).handshake = Message::kTaken;
            return;
        }
        pass();
        while (first < sent && first < claimed) {
            Message& oldest = message(first);
            if (oldest.handshake != Message::kTaken) return;
            oldest.handshake = kNothing;
            pass();
        }
    }

private:
    void pass() { first = (first + 1U) & 0x7FFFFFFFU; }
    void grow(std::uint32_t wanted);
};
static_assert(sizeof(Channel) == 128);

class Channels {
public:
    /// About so many channels will be made, to so many ranks that follow each other.
    void expect_number(std::size_t channels, std::size_t ranks) {
        keys_.expect(channels, ranks);
        channels_.expect(channels);
    }

    /// \return the number of the channel, which is made if there is none
    std::uint32_t number(const ChannelKey& key) {
        const std::uint32_t number = keys_.number(key);
        if (number == channels_.size()) channels_.add();
        return number;
    }

    [[nodiscard]] Channel& operator[](std::uint32_t number) { return channels_[number]; }
    [[nodiscard]] const Channel& operator[](std::uint32_t number) const { return channels_[number]; }
    [[nodiscard]] const ChannelKey& key(std::uint32_t number) const { return keys_.key(number); }
    [[nodiscard]] std::uint32_t size() const { return keys_.size(); }

    /// Soon the next message of the channel is sent, or received.
    [[gnu::always_inline]] void expect(std::uint32_t channel) const {
        const char* begin = reinterpret_cast<const char*>(&(*this)[channel]);
        __builtin_prefetch(begin, 1);
        __builtin_prefetch(begin + sizeof(Channel) / 2, 1);
    }

private:
    KeyNumbers<ChannelKey, ChannelHash> keys_;
    StableItems<Channel> channels_;
};

}  // namespace waywiser::simulate
