/// Messages of a replay on their way.
#pragma once

#include <cstdint>

#include "mpi/channels.hpp"
#include "simulate/moment.hpp"

namespace waywiser::simulate {

using mpi::ChannelHash;
using mpi::ChannelKey;
using mpi::kNothing;

struct Message {
    static constexpr std::uint32_t kTaken = kNothing - 1;
    static constexpr std::uint32_t kFlies = kNothing - 2;  ///< an eager one, on links that others share

    Moment available;                    ///< its receiver can take it; before it is sent: its receive was posted
    double busy_ns = 0;                  ///< of the receiver's processor
    float flight_ns = 0;                 ///< since the send began; only separates waiting from transfer
    std::uint32_t handshake = kNothing;  ///< until that is over; before it is sent: the actor that posted its receive
};

/// Each of the two cache lines has one of the two messages that may be on their way before further messages need room
/// of their own.
struct alignas(128) Channel : mpi::Channel<Message> {
    /// The message is not needed any more.
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
