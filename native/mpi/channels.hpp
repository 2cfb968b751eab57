/// Messages in flight: the n-th message sent on a channel is the n-th one received (MPI 4.1, section 3.5).
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "base/flat_map.hpp"
#include "base/key_numbers.hpp"
#include "base/stable_items.hpp"

namespace waywiser::mpi {

/// Marks the absence of a number.
inline constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();

/// Messages from one rank to another with one tag over one communicator.
struct ChannelKey {
    std::uint32_t group = 0;
    std::int32_t tag = 0;      ///< negative: the message is not one of the program's own
    std::uint32_t source = 0;  ///< ranks of the job
    std::uint32_t destination = 0;

    [[nodiscard]] auto operator<=>(const ChannelKey&) const = default;
};

struct ChannelHash {
    std::uint64_t operator()(const ChannelKey& key) const {
        const std::uint64_t ends = std::uint64_t{key.source} << 32U | key.destination;
        const std::uint64_t kind = std::uint64_t{key.group} << 32U | static_cast<std::uint32_t>(key.tag);
        return scattered(ends + kind * 0xd6e8feb86659fd93U);
    }

    static std::size_t place(const ChannelKey& key) { return key.destination; }
};

/// The messages of a channel that are sent, or whose receives are posted, and that are still needed. The channel itself
/// has room for two; if there are more, all are stored separately.
/// \tparam Message  data of a message, found by the message's number in the channel
template <class Message>
struct Channel {
    std::uint32_t sent = 0;
    std::uint32_t claimed = 0;        ///< messages whose receives are posted
    std::uint32_t waiter = kNothing;  ///< rank that is suspended until the next message is sent
    std::uint32_t first : 31 = 0;     ///< number of the first message that is still needed
    std::uint32_t is_far : 1 = 0;     ///< more than two messages are in flight
    std::array<Message, 2> near = {};
    std::unique_ptr<std::vector<Message>> far;

    [[nodiscard]] Message& message(std::uint32_t number) {
        return is_far != 0 ? (*far)[number & (far->size() - 1)] : near[number & 1U];
    }

    /// The next message that is sent, or whose receive is posted; makes room for it.
    /// \param number  `sent` or `claimed`
    [[nodiscard]] Message& next(std::uint32_t& number) {
        if (number - first >= near.size()) grow(number);
        return message(number++);
    }

    /// Drops the first message, which is no longer needed.
    void pass() { first = (first + 1U) & 0x7FFFFFFFU; }

    /// Cancels the receive of a message that is not sent; receives posted later move up.
    void withdraw(std::uint32_t number) {
        for (--claimed; number < claimed; ++number) message(number) = message(number + 1);
    }

private:
    [[gnu::noinline]] void grow(std::uint32_t needed) {
        if (is_far != 0 && needed - first < far->size()) return;
        std::size_t room = 4;
        while (needed - first >= room) room *= 2;
        auto larger = std::make_unique<std::vector<Message>>(room);
        for (std::uint32_t i = first; i < std::max(sent, claimed) && i < needed; ++i) {
            (*larger)[i & (room - 1)] = message(i);
        }
        far = std::move(larger);
        is_far = 1;
    }
};

/// Channels by number.
template <class Channel>
class Channels {
public:
    /// Reserves memory for about this many channels, which lead to this many consecutive ranks.
    void expect_number(std::size_t channels, std::size_t ranks) {
        keys_.expect(channels, ranks);
        channels_.expect(channels);
    }

    /// \return the number of the channel, which is created if there is none
    std::uint32_t number(const ChannelKey& key) {
        const std::uint32_t number = keys_.number(key);
        if (number == channels_.size()) channels_.add();
        return number;
    }

    [[nodiscard]] Channel& operator[](std::uint32_t number) { return channels_[number]; }
    [[nodiscard]] const Channel& operator[](std::uint32_t number) const { return channels_[number]; }
    [[nodiscard]] const ChannelKey& key(std::uint32_t number) const { return keys_.key(number); }
    [[nodiscard]] std::uint32_t size() const { return keys_.size(); }

    /// Prefetches a channel whose next message is sent or received soon.
    [[gnu::always_inline]] void expect(std::uint32_t channel) const {
        const char* begin = reinterpret_cast<const char*>(&(*this)[channel]);
        __builtin_prefetch(begin, 1);
        __builtin_prefetch(begin + sizeof(Channel) / 2, 1);
    }

private:
    KeyNumbers<ChannelKey, ChannelHash> keys_;
    StableItems<Channel> channels_;
};

}  // namespace waywiser::mpi
