#include "profile/requests.hpp"

#include "profile/messages.hpp"
#include "profile/slow_path.hpp"

namespace waywiser::profile {
namespace {

struct Remembered {
    std::uintptr_t request;
    StartedPayload payload;
};
static_assert(sizeof(Remembered) <= 56);

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::uint32_t kFirstEntries = 256;

// One table for all threads: a request may be made by one and started by another. The entries lie
// close together; a hash table of their numbers finds them.
constinit pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
constinit Remembered* entries = nullptr;
constinit std::uint32_t entries_size = 0;
constinit std::uint32_t entries_used = 0;
constinit std::uint32_t first_free = kNone;
constinit std::uint32_t* slots = nullptr;  ///< number of an entry plus 1; 0: unused
constinit std::uint32_t slots_size = 0;    ///< a power of two
constinit std::uint32_t live = 0;

std::uint32_t home(std::uintptr_t key) {
    return static_cast<std::uint32_t>(key * 0x9e3779b97f4a7c15U >> 32U) & (slots_size - 1);
}

std::uint32_t after(std::uint32_t slot) { return (slot + 1) & (slots_size - 1); }

Remembered& entry_at(std::uint32_t slot) { return entries[slots[slot] - 1]; }

/// The slot of a request, or the one where it would go.
std::uint32_t find_slot(std::uintptr_t key) {
    std::uint32_t slot = home(key);
    while (slots[slot] != 0 && entry_at(slot).request != key) slot = after(slot);
    return slot;
}

Remembered* find(std::uintptr_t key) {
    if (slots_size == 0) return nullptr;
    const std::uint32_t slot = find_slot(key);
    return slots[slot] == 0 ? nullptr : &entry_at(slot);
}

template <class T>
bool grow(T*& table, std::uint32_t old_size, std::uint32_t size) {
    void* pages = zeroed_pages(size * sizeof(T));
    if (pages == nullptr) return false;
    T* old = table;
    table = static_cast<T*>(pages);
    for (std::uint32_t i = 0; i < old_size; ++i) table[i] = old[i];
    if (old != nullptr) munmap(old, old_size * sizeof(T));
    return true;
}

bool grow_slots() {
    const std::uint32_t size = slots_size == 0 ? 2 * kFirstEntries : 2 * slots_size;
    auto* pages = static_cast<std::uint32_t*>(zeroed_pages(size * sizeof(std::uint32_t)));
    if (pages == nullptr) return false;
    std::uint32_t* old = slots;
    const std::uint32_t old_size = slots_size;
    slots = pages;
    slots_size = size;
    for (std::uint32_t i = 0; i < old_size; ++i) {
        if (old[i] != 0) slots[find_slot(entries[old[i] - 1].request)] = old[i];
    }
    if (old != nullptr) munmap(old, old_size * sizeof(std::uint32_t));
    return true;
}

bool make_room() {
    if (4 * (live + 1) > 3 * slots_size && !grow_slots()) return false;
    if (first_free != kNone || entries_used < entries_size) return true;
    const std::uint32_t size = entries_size == 0 ? kFirstEntries : 2 * entries_size;
    if (!grow(entries, entries_size, size)) return false;
    entries_size = size;
    return true;
}

void insert(const Remembered& entry) {
    std::uint32_t number = first_free;
    if (number != kNone) {
        first_free = static_cast<std::uint32_t>(entries[number].request);
    } else {
        number = entries_used++;
    }
    entries[number] = entry;
    slots[find_slot(entry.request)] = number + 1;
    ++live;
}

/// True if an entry whose home is `wanted` may move from slot `from` back to `to`.
bool may_move(std::uint32_t wanted, std::uint32_t from, std::uint32_t to) {
    return ((from - wanted) & (slots_size - 1)) >= ((from - to) & (slots_size - 1));
}

/// Closes the gap behind it, so that no mark is left (Knuth, TAOCP vol. 3, section 6.4, algorithm R).
void erase(std::uint32_t slot) {
    const std::uint32_t number = slots[slot] - 1;
    entries[number].request = first_free;  // of a free entry: the next one
    first_free = number;
    --live;
    std::uint32_t gap = slot;
    for (std::uint32_t next = after(gap); slots[next] != 0; next = after(next)) {
        if (!may_move(home(entry_at(next).request), next, gap)) continue;
        slots[gap] = slots[next];
        gap = next;
    }
    slots[gap] = 0;
}

void forget(std::uintptr_t key) {
    const Remembered* known = find(key);
    if (known == nullptr) return;
    release(known->payload.spread);
    erase(find_slot(key));
}

void remember(Handle request, const StartedPayload& payload) {
    const Locked locked(lock);
    const std::uintptr_t key = library.key(request);
    forget(key);
    if (make_room()) {
        insert({.request = key, .payload = payload});
    } else {
        release(payload.spread);
        count_unrecorded();
    }
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
    const Remembered* known = find(library.key(request));
    return known == nullptr ? StartedPayload{} : known->payload;
}

void forget_request(Handle request) {
    const Locked locked(lock);
    forget(library.key(request));
}

}  // namespace waywiser::profile
