#include "exchange/otf2_events.hpp"

#include <algorithm>
#include <limits>
#include <memory>

namespace waywiser::exchange::otf2 {

std::uint64_t Clock::ns(Time ticks) const {
    constexpr std::uint64_t kNsPerS = 1'000'000'000;
    if (ticks <= begin_ticks) return 0;
    const std::uint64_t since = ticks - begin_ticks;
    if (ticks_per_s == kNsPerS) return since;
    const std::uint64_t whole_s =
        std::min(since / ticks_per_s, std::numeric_limits<std::uint64_t>::max() / kNsPerS - 1);
    const auto rest = static_cast<long double>(since % ticks_per_s);
    return whole_s * kNsPerS + static_cast<std::uint64_t>(rest * kNsPerS / static_cast<long double>(ticks_per_s));
}

namespace {

using Kind = Record::Kind;

/// State of the callbacks, which store exceptions and end the reading, because no exception may pass through the
/// library.
struct Reading {
    const Library& otf2;
    const Clock& clock;
    EventHandler& handler;
    std::exception_ptr error;
    std::vector<AttributeValue> attributes;

    template <class Handle>
    Code run(Handle handle) {
        try {
            handle();
            return 0;
        } catch (...) {
            error = std::current_exception();
            return 1;
        }
    }
};

Code pass_on(void* reading, Time time, Record record) {
    auto& to = *static_cast<Reading*>(reading);
    record.ns = to.clock.ns(time);
    return to.run([&] { to.handler.record(record); });
}

Code on_enter(Location, Time time, std::uint64_t, void* reading, AttributeList*, Ref region) {
    auto& to = *static_cast<Reading*>(reading);
    return to.run([&] { to.handler.enter(to.clock.ns(time), region); });
}

Code on_leave(Location, Time time, std::uint64_t, void* reading, AttributeList* list, Ref region) {
    auto& to = *static_cast<Reading*>(reading);
    return to.run([&] {
        to.attributes.clear();
        const std::uint32_t number = to.otf2.AttributeList_GetNumberOfElements(list);
        for (std::uint32_t i = 0; i < number; ++i) {
            AttributeValue attribute{};
            std::uint8_t type = 0;
            if (to.otf2.AttributeList_GetAttributeByIndex(list, i, &attribute.attribute, &type, &attribute.value) ==
                0) {
                to.attributes.push_back(attribute);
            }
        }
        to.handler.leave(to.clock.ns(time), region, to.attributes);
    });
}

template <Kind kKind>
Code on_request(Location, Time time, std::uint64_t, void* reading, AttributeList*, std::uint64_t request) {
    return pass_on(reading, time, {.kind = kKind, .request = request});
}

template <Kind kKind>
Code on_object(Location, Time time, std::uint64_t, void* reading, AttributeList*, Ref object) {
    return pass_on(reading, time, {.kind = kKind, .object = object});
}

template <Kind kKind>
Code on_message(Location, Time time, std::uint64_t, void* reading, AttributeList*, std::uint32_t partner, Ref comm,
                std::uint32_t tag, std::uint64_t bytes) {
    return pass_on(reading, time, {.kind = kKind, .partner = partner, .object = comm, .tag = tag, .bytes = bytes});
}

template <Kind kKind>
Code on_requested_message(Location, Time time, std::uint64_t, void* reading, AttributeList*, std::uint32_t partner,
                          Ref comm, std::uint32_t tag, std::uint64_t bytes, std::uint64_t request) {
    return pass_on(reading, time,
                   {.kind = kKind, .partner = partner, .object = comm, .tag = tag, .bytes = bytes, .request = request});
}

Code on_collective_end(Location, Time time, std::uint64_t, void* reading, AttributeList*, std::uint8_t operation,
                       Ref comm, std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
    return pass_on(reading, time,
                   {.kind = Kind::collective_end,
                    .partner = root,
                    .object = comm,
                    .bytes = sent,
                    .received = received,
                    .operation = operation});
}

Code on_collective_complete(Location, Time time, std::uint64_t, void* reading, AttributeList*, std::uint8_t operation,
                            Ref comm, std::uint32_t root, std::uint64_t sent, std::uint64_t received,
                            std::uint64_t request) {
    return pass_on(reading, time,
                   {.kind = Kind::collective_complete,
                    .partner = root,
                    .object = comm,
                    .bytes = sent,
                    .received = received,
                    .request = request,
                    .operation = operation});
}

template <Kind kKind>
Code on_access(Location, Time time, std::uint64_t, void* reading, AttributeList*, Ref window, std::uint32_t target,
               std::uint64_t bytes, std::uint64_t) {
    return pass_on(reading, time, {.kind = kKind, .partner = target, .object = window, .bytes = bytes});
}

Code on_atomic(Location, Time time, std::uint64_t, void* reading, AttributeList*, Ref window, std::uint32_t target,
               std::uint8_t, std::uint64_t sent, std::uint64_t received, std::uint64_t) {
    return pass_on(reading, time,
                   {.kind = Kind::atomic, .partner = target, .object = window, .bytes = sent, .received = received});
}

Code on_window_collective_end(Location, Time time, std::uint64_t, void* reading, AttributeList*, std::uint8_t,
                              std::uint32_t, Ref window, std::uint32_t, std::uint64_t, std::uint64_t) {
    return pass_on(reading, time, {.kind = Kind::window_collective_end, .object = window});
}

void set_callbacks(const Library& otf2, EvtCallbacks* on) {
    otf2.EvtReaderCallbacks_SetEnterCallback(on, on_enter);
    otf2.EvtReaderCallbacks_SetLeaveCallback(on, on_leave);
    otf2.EvtReaderCallbacks_SetMpiSendCallback(on, on_message<Kind::send>);
    otf2.EvtReaderCallbacks_SetMpiRecvCallback(on, on_message<Kind::receive>);
    otf2.EvtReaderCallbacks_SetMpiIsendCallback(on, on_requested_message<Kind::nonblocking_send>);
    otf2.EvtReaderCallbacks_SetMpiIrecvRequestCallback(on, on_request<Kind::nonblocking_receive>);
    otf2.EvtReaderCallbacks_SetMpiIsendCompleteCallback(on, on_request<Kind::send_complete>);
    otf2.EvtReaderCallbacks_SetMpiIrecvCallback(on, on_requested_message<Kind::receive_complete>);
    otf2.EvtReaderCallbacks_SetMpiRequestTestCallback(on, on_request<Kind::request_test>);
    otf2.EvtReaderCallbacks_SetMpiRequestCancelledCallback(on, on_request<Kind::request_cancelled>);
    otf2.EvtReaderCallbacks_SetMpiCollectiveEndCallback(on, on_collective_end);
    otf2.EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(on, on_request<Kind::nonblocking_collective>);
    otf2.EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(on, on_collective_complete);
    otf2.EvtReaderCallbacks_SetCommCreateCallback(on, on_object<Kind::create_communicator>);
    otf2.EvtReaderCallbacks_SetCommDestroyCallback(on, on_object<Kind::free_communicator>);
    otf2.EvtReaderCallbacks_SetRmaWinCreateCallback(on, on_object<Kind::create_window>);
    otf2.EvtReaderCallbacks_SetRmaWinDestroyCallback(on, on_object<Kind::free_window>);
    otf2.EvtReaderCallbacks_SetRmaCollectiveEndCallback(on, on_window_collective_end);
    otf2.EvtReaderCallbacks_SetRmaPutCallback(on, on_access<Kind::put>);
    otf2.EvtReaderCallbacks_SetRmaGetCallback(on, on_access<Kind::get>);
    otf2.EvtReaderCallbacks_SetRmaAtomicCallback(on, on_atomic);
}

}  // namespace

bool read_events(const Library& otf2, Reader* reader, Location location, const Clock& clock, EventHandler& handler) {
    EvtReader* const events = otf2.Reader_GetEvtReader(reader, location);
    if (events == nullptr) return false;
    const std::unique_ptr<EvtCallbacks, void (*)(EvtCallbacks*)> on(otf2.EvtReaderCallbacks_New(),
                                                                    otf2.EvtReaderCallbacks_Delete);
    set_callbacks(otf2, on.get());
    Reading reading{.otf2 = otf2, .clock = clock, .handler = handler, .error = nullptr, .attributes = {}};
    std::uint64_t read = 0;
    const bool good = otf2.Reader_RegisterEvtCallbacks(reader, events, on.get(), &reading) == 0 &&
                      otf2.Reader_ReadAllLocalEvents(reader, events, &read) == 0;
    otf2.Reader_CloseEvtReader(reader, events);
    if (reading.error) std::rethrow_exception(reading.error);
    return good;
}

}  // namespace waywiser::exchange::otf2
