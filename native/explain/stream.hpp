/// The calls of a thread as the wait analysis reads them: the call at hand, and what it needs of others.
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

/// Something that a call needs of others before it can end.
struct Need {
    enum class Kind : std::uint8_t { sent, received, probed, collective, unlocked };

    Kind kind = Kind::received;
    bool missing = false;
    bool optional = false;             ///< the call may end without it
    Wait wait = Wait::late_sender;     ///< of what is received
    std::uint32_t index = 0;           ///< of the message, the channel or the group
    std::uint64_t number = 0;          ///< of the collective; 1: of a lock that is exclusive
    Part part = {};                    ///< of the collective
    std::uint32_t object = 0;          ///< of the rank
    std::int32_t peer = trace::kNone;  ///< of a window: the target, or the origin; kAny: all
};

/// Polls that found nothing and between which a stream did nothing else: its latest segment.
struct Spin {
    std::uint64_t polls = 0;  ///< 0: it does not spin
    std::uint64_t begin_ns = 0;
    std::uint64_t within_ns = 0;  ///< the polls
    std::uint64_t before_ns = 0;  ///< end of the call before
    std::uint32_t place_before = 0;
};

struct Stream {
    trace::Cursor cursor;
    std::uint32_t number = 0;
    std::uint32_t rank = 0;  ///< index
    History* history = nullptr;
    bool finished = false;
    bool in_call = false;
    bool parked = false;
    std::uint64_t begin_ns = 0;  ///< of the call at hand
    std::uint64_t end_ns = 0;
    std::uint64_t last_end_ns = 0;
    std::uint32_t place = 0;      ///< of the last call
    std::uint64_t within_ns = 0;  ///< time that the call takes of the stream
    std::uint32_t missing = 0;    ///< needs that are not met yet
    std::vector<Need> needs;      ///< of the call at hand
    Spin spin;

    /// When it does its next step.
    [[nodiscard]] std::uint64_t next_ns() const {
        if (finished) return std::numeric_limits<std::uint64_t>::max();
        return in_call ? end_ns : begin_ns;
    }

    /// Reads the next call, if there is one.
    void read_next() {
        finished = !cursor.next();
        if (finished) return;
        // Times never go back, whatever a correction of clocks has made of them.
        const trace::TracedCall& call = cursor.call();
        begin_ns = std::max(call.begin_ns, last_end_ns);
        end_ns = std::max(call.end_ns, begin_ns);
    }

    /// Unsuccessful polls are part of the wait that ends with the success, unless the program computed between them.
    /// The computing time per poll distinguishes the two.
    /// \return time of the polls before, which are a part of the call at hand now
    std::uint64_t join_polls(bool may_poll);

    /// Time that the call at hand takes of the stream: of polls in a row, what lies between them is the program's.
    [[nodiscard]] std::uint64_t call_ns() const {
        const std::uint64_t span_ns = end_ns - begin_ns;
        if (spin.polls > 0) return std::min(spin.within_ns, span_ns);
        const trace::TracedCall& times = cursor.call();
        return times.times > 1 ? std::min(times.polling_ns, span_ns) : span_ns;
    }

    /// The end of a message that the call at hand posts.
    [[nodiscard]] Posted posted() const {
        return {.there = true, .done = false, .stream = number, .begin_ns = begin_ns, .call = history->end() - 1};
    }
};

}  // namespace waywiser::explain
