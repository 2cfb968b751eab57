/// Numbers of requests against a list that is searched from its begin: random requests, of which some
/// share a handle, made, looked up where they lie or where they were moved to, completed and freed.
#include "profile/tracing/request_slots.hpp"

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

namespace waywiser::profile {

// The profiler's knowledge of an MPI library.
constinit Library library;
__attribute__((tls_model("initial-exec"))) constinit thread_local int locks_held = 0;

}  // namespace waywiser::profile

namespace {

using namespace waywiser;
using namespace waywiser::profile;

constexpr std::size_t kPlaces = 64;
constexpr int kSharedAtOnce = 8;  // of more, not all are compared with the place

struct Live {
    Handle handle;
    const void* place;
    std::int32_t number;
    std::uint8_t traits;
};

std::vector<Live> live;  ///< in the order of their begins
Handle places[kPlaces];

bool expect(bool holds, const char* what) {
    if (!holds) std::fprintf(stderr, "%s\n", what);
    return holds;
}

RequestArray array(const Handle* handles, std::size_t count) {
    return {.handles = static_cast<const void*>(handles),
            .handle_bytes = sizeof(Handle),
            .count = static_cast<std::int32_t>(count)};
}

std::int32_t smallest_free() {
    std::int32_t number = 0;
    while (std::ranges::count(live, number, &Live::number) != 0) ++number;
    return number;
}

Handle some_handle(std::mt19937& random) {
    static std::uintptr_t unique = 0x100000;
    const std::uintptr_t key = random() % 2 == 0 ? 0x2000 + random() % 3 : unique += 0x40;
    return reinterpret_cast<Handle>(key);
}

bool make(std::mt19937& random) {
    Handle* place = places + random() % kPlaces;
    *place = some_handle(random);
    if (std::ranges::count(live, *place, &Live::handle) >= kSharedAtOnce) return true;
    const auto traits = static_cast<std::uint8_t>(random() % 8);
    const std::int32_t number = smallest_free();
    live.push_back({.handle = *place, .place = static_cast<const void*>(place), .number = number, .traits = traits});
    return expect(open_slot(array(place, 1), traits) == number, "a request has not the smallest free number");
}

/// Numbers of an array's requests: each live one at most once, and the one that lies there before others.
std::vector<std::int32_t> obvious(const Handle* handles, std::size_t n) {
    std::vector<std::int32_t> found;
    for (std::size_t i = 0; i < n; ++i) {
        std::int32_t first = trace::kUnknown;
        std::int32_t at_place = trace::kUnknown;
        for (const Live& one : live) {
            if (one.handle != handles[i] || std::ranges::count(found, one.number) != 0) continue;
            if (first == trace::kUnknown) first = one.number;
            if (at_place == trace::kUnknown && one.place == static_cast<const void*>(handles + i))
                at_place = one.number;
        }
        found.push_back(handles[i] == nullptr ? trace::kNone : at_place != trace::kUnknown ? at_place : first);
    }
    return found;
}

void end(const RequestSlot& slot, bool by_completion) {
    if (by_completion) {
        complete_slot(slot);
    } else {
        free_slot(slot);
    }
    const bool stays = by_completion && (slot.traits & kPersistent) != 0;
    if (!stays) std::erase_if(live, [&](const Live& one) { return one.number == slot.number; });
}

bool complete_some(std::mt19937& random) {
    const std::size_t from = random() % kPlaces;
    const std::size_t n = random() % (kPlaces - from) + 1;
    std::vector<Handle> moved(places + from, places + from + n);
    if (random() % 4 == 0) std::ranges::shuffle(moved, random);
    const Handle* handles = random() % 2 == 0 ? places + from : moved.data();
    std::vector<RequestSlot> slots(n);
    find_slots(array(handles, n), slots.data());
    const std::vector<std::int32_t> expected = obvious(handles, n);
    for (std::size_t i = 0; i < n; ++i) {
        if (!expect(slots[i].number == expected[i], "a handle leads to another request")) return false;
        if (slots[i].number >= 0 && random() % 2 == 0) end(slots[i], random() % 3 != 0);
    }
    return true;
}

/// Many requests have one handle, as sends that complete at once have before a Waitall.
bool many_of_one_handle() {
    constexpr std::size_t kMany = 1'000'000;
    std::vector<Handle> requests(kMany, reinterpret_cast<Handle>(0x2000));
    std::vector<RequestSlot> slots(kMany);
    for (std::size_t i = 0; i < kMany; ++i) {
        if (!expect(open_slot(array(&requests[i], 1), 0) == static_cast<std::int32_t>(i), "not the next number"))
            return false;
    }
    find_slots(array(requests.data(), kMany), slots.data());
    for (std::size_t i = 0; i < kMany; ++i) {
        if (!expect(slots[i].number == static_cast<std::int32_t>(i), "a request is not where it was made"))
            return false;
        complete_slot(slots[i]);
    }
    return expect(open_slot(array(requests.data(), 1), 0) == 0, "a number was not freed");
}

}  // namespace

int main() {
    constexpr int kSteps = 100'000;
    std::mt19937 random;
    for (int step = 0; step < kSteps; ++step) {
        const bool makes = live.size() < kPlaces && random() % 4 != 0;
        if (!(makes ? make(random) : complete_some(random))) return 1;
    }
    for (const Live& one : live) free_slot({.number = one.number, .traits = one.traits});
    return many_of_one_handle() ? 0 : 1;
}
