/// The calls of a thread in the wait analysis: the current call and its needs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "explain/collective_order.hpp"
#include "explain/history.hpp"
#include "explain/matching.hpp"
#include "explain/waits.hpp"

namespace waywiser::explain {

/// A condition that others must meet before a call can end.
struct Need {
    enum class Kind : std::uint8_t { sent, received, probed, collective, unlocked };

    Kind kind = Kind::received;
    bool missing = false;
    bool optional = false;             ///< the call may end even if it is not met
    Wait wait = Wait::late_sender;     ///< kind of wait for a receive
    std::uint32_t index = 0;           ///< index of the message, the channel or the group
    std::uint64_t number = 0;          ///< number of the collective; 1: an exclusive lock
    Part part = {};                    ///< part in the collective
    std::uint32_t object = 0;          ///< the rank's number of the object
    std::int32_t peer = trace::kNone;  ///< target or origin in a window; kAny: all
};

/// Consecutive unsuccessful polls without other activity; they are the stream's latest segment.
struct Spin {
    std::uint64_t polls = 0;  ///< 0: the stream does not spin
    std::uint64_t begin_ns = 0;
    std::uint64_t within_ns = 0;  ///< time within the polls
    std::uint64_t before_ns = 0;  ///< end of the preceding call
    std::uint32_t place_before = 0;
};

struct Stream {
    trace::Cursor cursor;
    std::uint32_t number = 0;
    std::uint32_t rank = 0;  ///< index of the rank
    History* history = nullptr;
    bool finished = false;
    bool in_call = false;
    bool parked = false;
    std::uint64_t begin_ns = 0;  ///< start of the current call
    std::uint64_t end_ns = 0;
    std::uint64_t last_end_ns = 0;
    std::uint32_t place = 0;      ///< call site of the last call
    std::uint64_t within_ns = 0;  ///< time of the stream within the call
    std::uint32_t missing = 0;    ///< number of needs that are not met yet
    std::vector<Need> needs;      ///< needs of the current call
    Spin spin;

    /// Time of the stream's next step.
    [[nodiscard]] std::uint64_t next_ns() const {
        if (finished) return std::numeric_limits<std::uint64_t>::max();
        return in_call ? end_ns : begin_ns;
    }

    /// Reads the next call, if there is one.
    void read_next() {
        finished = !cursor.next();
        if (finished) return;
        // Times never decrease, even if a correction of clocks has disordered them.
        const trace::TracedCall& call = cursor.call();
        begin_ns = std::max(call.begin_ns, last_end_ns);
        end_ns = std::max(call.end_ns, begin_ns);
    }

    /// Unsuccessful polls are part of the wait that ends with the success, unless the program computed between them.
    /// The computation time per poll distinguishes the two.
    /// \return time of the preceding polls, which are now part of the current call
    std::uint64_t join_polls(bool may_poll);

    /// Time of the stream in the current call. For a run of polls, the time between polls belongs to the program.
    [[nodiscard]] std::uint64_t call_ns() const {
        const std::uint64_t span_ns = end_ns - begin_ns;
        if (spin.polls > 0) return std::min(spin.within_ns, span_ns);
        const trace::TracedCall& times = cursor.call();
        return times.times > 1 ? std::min(times.polling_ns, span_ns) : span_ns;
    }

    /// The end of a message that the current call posts.
    [[nodiscard]] Posted posted() const {
        return {.there = true, .done = false, .stream = number, .begin_ns = begin_ns, .call = history->end() - 1};
    }
};

}  // namespace waywiser::explain
