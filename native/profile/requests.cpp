#include "profile/requests.hpp"

#include "profile/messages.hpp"
#include "profile/slow_path.hpp"

namespace waywiser::profile {
namespace {

struct Remembered {
    std::uintptr_t request;  ///< 0: free; kForgotten: was in use
    Payload payload;
};

constexpr std::uintptr_t kForgotten = ~std::uintptr_t{0};

// One table for all threads: a request may be made by one and started by another.
constinit pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
constinit Remembered* table = nullptr;
constinit std::size_t table_size = 0;
constinit std::size_t occupied = 0;  ///< entries that are not free

std::uintptr_t key_of(const void* request) { return library.key(library.at(request, 0)); }

std::size_t first_slot(std::uintptr_t key, std::size_t size) {
    return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15U >> 32U) & (size - 1);
}

Remembered* find(std::uintptr_t key) {
    if (table == nullptr) return nullptr;
    for (std::size_t i = first_slot(key, table_size); table[i].request != 0; i = (i + 1) & (table_size - 1)) {
        if (table[i].request == key) return &table[i];
    }
    return nullptr;
}

void insert(const Remembered& entry) {
    std::size_t i = first_slot(entry.request, table_size);
    while (table[i].request != 0) i = (i + 1) & (table_size - 1);
    table[i] = entry;
    ++occupied;
}

/// Twice the live entries' room; forgotten ones are left behind.
bool make_room() {
    if (2 * (occupied + 1) <= table_size) return true;
    std::size_t live = 0;
    for (std::size_t i = 0; i < table_size; ++i) live += table[i].request != 0 && table[i].request != kForgotten;
    std::size_t size = 256;
    while (size < 4 * (live + 1)) size *= 2;
    void* pages = mmap(nullptr, size * sizeof(Remembered), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return false;
    Remembered* old = table;
    const std::size_t old_size = table_size;
    table = static_cast<Remembered*>(pages);
    table_size = size;
    occupied = 0;
    for (std::size_t i = 0; i < old_size; ++i) {
        if (old[i].request != 0 && old[i].request != kForgotten) insert(old[i]);
    }
    if (old != nullptr) munmap(old, old_size * sizeof(Remembered));
    return true;
}

}  // namespace

void remember_request(Id id, const void* request, Payload payload) {
    name_in_world(payload);
    name_collective(id, payload);
    const Locked locked(lock);
    const std::uintptr_t key = key_of(request);
    if (Remembered* known = find(key)) {
        forget_shares(known->payload);
        known->payload = payload;
    } else if (make_room()) {
        insert({.request = key, .payload = payload});
    }
}

Payload remembered(const void* request) {
    const Locked locked(lock);
    const Remembered* known = find(key_of(request));
    return known == nullptr ? Payload{} : known->payload;
}

void forget_request(const void* request) {
    const Locked locked(lock);
    if (Remembered* known = find(key_of(request))) {
        forget_shares(known->payload);
        known->request = kForgotten;
    }
}

}  // namespace waywiser::profile
