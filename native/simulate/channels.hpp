/// Messages in flight in a replay.
#pragma once

#include <cstdint>

#include "mpi/channels.hpp"
#include "simulate/timestamp.hpp"

namespace waywiser::simulate {

using mpi::ChannelHash;
using mpi::ChannelKey;
using mpi::kNothing;

struct Message {
    static constexpr std::uint32_t kTaken = kNothing - 1;
    static constexpr std::uint32_t kFlies = kNothing - 2;  ///< marks an eager message on shared links

    /// time at which its receiver can take it; before the send: time at which its receive was posted
    Timestamp available;
    double busy_ns = 0;   ///< processor time of the receiver
    float flight_ns = 0;  ///< time since the send started; only separates waiting from transfer
    /// handshake until that is complete; before the send: the actor that posted the receive
    std::uint32_t handshake = kNothing;
};

/// Each of the two cache lines holds one of the two messages that may be in flight before further messages are stored
/// separately.
struct alignas(128) Channel : mpi::Channel<Message> {
    /// Frees a message that is no longer needed.
    void take(std::uint32_t number) {
        if (number != first) {
            message(number).handshake = Message::kTaken;
            return;
        }
        for (pass(); first < sent && first < claimed && message(first).handshake == Message::kTaken; pass()) {
            message(first).handshake = kNothing;
        }
    }
};
static_assert(sizeof(Channel) == 128);

using Channels = mpi::Channels<Channel>;

}  // namespace waywiser::simulate
