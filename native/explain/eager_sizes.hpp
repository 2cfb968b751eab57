/// Standard sends that may wait for their receives, as far as the trace reveals.
#pragma once

#include <cstdint>

#include "explain/matching.hpp"

namespace waywiser::explain {

class EagerSizes {
public:
    /// True if the send may wait for its receive: no standard send of this size has been seen to end before its
    /// receive.
    [[nodiscard]] bool may_synchronise(const Message& message) const {
        if (message.mode != SendMode::standard) return message.mode == SendMode::synchronous;
        return message.bytes > bytes_[message.same_host ? 1 : 0];
    }

    /// Called for a standard send that was over before its receive was posted.
    void learn(const Message& message) { bytes_[message.same_host ? 1 : 0] = message.bytes; }

private:
    std::uint64_t bytes_[2] = {0, 0};  ///< largest eager size [bytes]: between hosts, and within one host
};

}  // namespace waywiser::explain
