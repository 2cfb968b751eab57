#include "profile/tracing/request_slots.hpp"

#include "profile/process/handle_table.hpp"

namespace waywiser::profile {

constinit std::uint64_t slots_version = 0;

namespace {

/// Requests with the same handle form a list, in the order in which they started.
struct Slot {
    const void* place;       ///< where the program first stored the handle
    std::uint32_t next;      ///< kNoNumber: this slot is the last
    std::uint32_t previous;  ///< kNoNumber: this slot is the first, which the handle refers to
    // The following are kept in the first slot of a list:
    std::uint32_t last;
    std::uint32_t first_open;  ///< first slot that the current search has not found
    std::uint32_t search;
    std::uint32_t found_by;  ///< number of the search that found it last
    std::uint8_t traits;
};

/// A trait for internal use: the number is in use.
constexpr std::uint8_t kOpen = 128;

/// Number of requests with one handle whose places are compared.
constexpr int kCompared = 8;

constinit HandleTable<Slot> table;
constinit std::uint32_t searches = 0;
constinit pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;

/// Locks if the program may have several threads in MPI at once.
class LockedForThreads {
public:
    LockedForThreads() : locked_(library.several_threads) {
        if (!locked_) return;
        ++locks_held;
        pthread_mutex_lock(&slots_lock);
    }
    ~LockedForThreads() {
        if (!locked_) return;
        pthread_mutex_unlock(&slots_lock);
        --locks_held;
    }
    LockedForThreads(const LockedForThreads&) = delete;
    LockedForThreads& operator=(const LockedForThreads&) = delete;

private:
    bool locked_;
};

void changed() { __atomic_store_n(&slots_version, slots_version + 1, __ATOMIC_RELAXED); }

bool is_null(std::uintptr_t key) {
    return key == 0 || key == library.constants.request_null || key == library.constants.message_null ||
           key == library.constants.message_no_proc;
}

void append(std::uintptr_t key, std::uint32_t number) {
    Slot& slot = table[number];
    const std::uint32_t first = table.find(key);
    if (first == kNoNumber) {
        slot.last = number;
        table.link(key, number);
        return;
    }
    slot.previous = table[first].last;
    table[slot.previous].next = number;
    table[first].last = number;
    table.adopt(key, number);
}

void remove(std::uint32_t number) {
    const std::uintptr_t key = table.key_of(number);
    Slot& slot = table[number];
    if ((slot.traits & kOpen) == 0) return;  // Another thread may have done it already.
    slot.traits = 0;
    if (slot.next != kNoNumber) {
        table[slot.next].previous = slot.previous;
    } else if (slot.previous != kNoNumber) {
        table[table.find(key)].last = slot.previous;
    }
    if (slot.previous != kNoNumber) {
        table[slot.previous].next = slot.next;
        Slot& first = table[table.find(key)];
        if (first.first_open == number) first.search = 0;
    } else if (slot.next != kNoNumber) {
        table[slot.next].last = slot.last;
        table[slot.next].search = 0;
        table.link(key, slot.next);
    } else {
        table.unlink(key);
    }
    table.release(number);
    changed();
}

/// Number of a handle's slot that the current search has not found yet: the slot with `place`, else the first;
/// kNoNumber if there is none.
std::uint32_t find(std::uintptr_t key, const void* place) {
    const std::uint32_t head = table.find(key);
    if (head == kNoNumber) return kNoNumber;
    Slot& first = table[head];
    if (first.search != searches) {
        first.search = searches;
        first.first_open = head;
    }
    const auto is_open = [](std::uint32_t number) { return table[number].found_by != searches; };
    while (first.first_open != kNoNumber && !is_open(first.first_open)) first.first_open = table[first.first_open].next;
    std::uint32_t number = first.first_open;
    for (int i = 0; number != kNoNumber && i < kCompared; ++i, number = table[number].next) {
        if (table[number].place == place && is_open(number)) return number;
    }
    return table[first.last].place == place && is_open(first.last) ? first.last : first.first_open;
}

/// Starts a search with the next number, except 0, which belongs to no search. Searches may share a number if they need
/// not be distinguished.
void begin_search() { searches += searches == ~std::uint32_t{0} ? 2 : 1; }

}  // namespace

bool is_no_request(Handle handle) { return is_null(library.key(handle)); }

std::int32_t open_slot(const RequestArray& request_array, unsigned traits) {
    const std::uintptr_t key = library.key(request_array.handles[0]);
    if (is_null(key)) return trace::kNone;
    const LockedForThreads locked;
    const std::uint32_t number = table.allocate();
    if (number == kNoNumber) return trace::kUnknown;
    table[number] = {.place = request_array.handles.array,
                     .next = kNoNumber,
                     .previous = kNoNumber,
                     .last = kNoNumber,
                     .first_open = kNoNumber,
                     .search = 0,
                     .found_by = 0,
                     .traits = static_cast<std::uint8_t>(traits | kOpen)};
    append(key, number);
    changed();
    return static_cast<std::int32_t>(number);
}

void find_slots(const RequestArray& requests, RequestSlot* slots) {
    const LockedForThreads locked;
    begin_search();
    for (std::int32_t i = 0; i < requests.count; ++i) {
        const std::uintptr_t key = library.key(requests.handles[i]);
        if (is_null(key)) {
            slots[i] = {.number = trace::kNone, .traits = 0};
            continue;
        }
        const std::uint32_t number = find(key, requests.place(i));
        if (number == kNoNumber) {
            slots[i] = {.number = trace::kUnknown, .traits = 0};
            continue;
        }
        table[number].found_by = searches;
        slots[i] = {.number = static_cast<std::int32_t>(number), .traits = table[number].traits};
    }
}

void complete_slot(const RequestSlot& slot) {
    if (slot.number < 0) return;
    const LockedForThreads locked;
    const auto number = static_cast<std::uint32_t>(slot.number);
    if ((slot.traits & kPersistent) == 0) return remove(number);
    table[number].traits &= static_cast<std::uint8_t>(~(kStarted | kCancelled));
    changed();
}

void free_slot(const RequestSlot& slot) {
    if (slot.number < 0) return;
    const LockedForThreads locked;
    remove(static_cast<std::uint32_t>(slot.number));
}

void mark_slots(const RequestSlot* slots, int n, std::uint8_t trait) {
    const LockedForThreads locked;
    for (int i = 0; i < n; ++i) {
        if (slots[i].number >= 0) table[static_cast<std::uint32_t>(slots[i].number)].traits |= trait;
    }
    changed();
}

}  // namespace waywiser::profile
