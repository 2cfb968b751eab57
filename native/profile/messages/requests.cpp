#include "profile/messages/requests.hpp"

#include "profile/messages/messages.hpp"
#include "profile/process/handle_table.hpp"

namespace waywiser::profile {
namespace {

// One table for all threads: a request may be made by one thread and started by another.
constinit pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
constinit HandleTable<StartedPayload> table;

void forget(std::uintptr_t key) {
    const std::uint32_t number = table.find(key);
    if (number == kNoNumber) return;
    release(table[number].spread);
    table.unlink(key);
    table.release(number);
}

void remember(Handle request, const StartedPayload& payload) {
    const Locked locked(lock);
    const std::uintptr_t key = library.key(request);
    forget(key);
    const std::uint32_t number = table.allocate();
    if (number == kNoNumber) {
        release(payload.spread);
        return count_unrecorded();
    }
    table[number] = payload;
    table.link(key, number);
}

}  // namespace

void remember_request(Id id, Handle request, const Payload& payload) {
    StartedPayload kept{.sent = payload.sent, .posted = payload.posted, .to_one = payload.to_one};
    if (payload.to_one) kept.rank = world_rank_of(payload.comm, payload.destination);
    kept.function = static_cast<unsigned>(id);
    remember(request, kept);
}

void remember_request(Id id, Handle request, const CollectivePayload& payload) {
    remember(request, {.sent = payload.sent,
                       .posted = payload.posted,
                       .to_one = false,
                       .rank = payload.root,
                       .communicator = communicator_of(payload.comm),
                       .spread = spread_of(payload),
                       .function = static_cast<unsigned>(id)});
}

StartedPayload remembered(Handle request) {
    const Locked locked(lock);
    const std::uint32_t number = table.find(library.key(request));
    return number == kNoNumber ? StartedPayload{} : table[number];
}

void forget_request(Handle request) {
    const Locked locked(lock);
    forget(library.key(request));
}

}  // namespace waywiser::profile
