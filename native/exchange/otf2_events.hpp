/// The events of one location, as passed to its reader.
#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include "exchange/otf2_library.hpp"

namespace waywiser::exchange::otf2 {

/// An event between the enter and the leave of a call; members that its kind lacks are 0.
struct Record {
    enum class Kind : std::uint8_t {
        send,
        receive,
        nonblocking_send,
        nonblocking_receive,     ///< start of a receive, with its request only
        nonblocking_collective,  ///< start of a collective, with its request only
        send_complete,
        receive_complete,
        collective_complete,
        request_test,
        request_cancelled,
        collective_end,
        create_communicator,
        free_communicator,
        create_window,
        free_window,
        window_collective_end,
        put,
        get,
        atomic,
    };

    Kind kind;
    std::uint64_t ns = 0;
    std::uint32_t partner = 0;  ///< partner, root or target
    Ref object = kUndefined;    ///< communicator or window
    std::uint32_t tag = 0;
    std::uint64_t bytes = 0;
    std::uint64_t received = 0;
    std::uint64_t request = 0;
    std::uint8_t operation = 0;
};

struct AttributeValue {
    Ref attribute;
    Value value;
};

/// Converts ticks of a trace to nanoseconds since its start.
struct Clock {
    std::uint64_t ticks_per_s = 1'000'000'000;
    std::uint64_t begin_ticks = 0;

    [[nodiscard]] std::uint64_t ns(Time ticks) const;
};

class EventHandler {
public:
    virtual ~EventHandler() = default;
    virtual void enter(std::uint64_t ns, Ref region) = 0;
    virtual void leave(std::uint64_t ns, Ref region, const std::vector<AttributeValue>& attributes) = 0;
    virtual void record(const Record& record) = 0;
};

/// Reads the events of a location whose files the reader has open.
/// \return false if the events end early because the file is damaged
/// \throws what the handler throws
[[nodiscard]] bool read_events(const Library& library, Reader* reader, Location location, const Clock& clock,
                               EventHandler& handler);

}  // namespace waywiser::exchange::otf2
