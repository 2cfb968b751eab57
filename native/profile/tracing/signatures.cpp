/// A program that repeats itself has few signatures. A program that does not, for example with ever-changing message
/// sizes, must not exhaust memory. Beyond kMostSignatures of the process, or kMostOfPlace of one call site, a call is
/// therefore written as its differences from the first call of its place.
#include "profile/tracing/signatures.hpp"
#include "base/hash.hpp"

#include <cstring>

#include "profile/calls/call_sites.hpp"
#include "profile/calls/recorder.hpp"
#include "profile/process/number_table.hpp"

namespace waywiser::profile {
namespace {

constexpr std::uint32_t kMostSignatures = 16384;
constexpr std::uint32_t kMostOfPlace = 4096;
constexpr std::uint32_t kMostPlaces = 16384;

/// A function and its call site.
struct CallPlace {
    std::uint64_t caller;
    std::uint16_t function;
    std::uint32_t first;  ///< number of its first signature
    std::uint32_t signatures;
};

constinit NumberTable signature_numbers;
constinit state::TraceSignatureRecord** signatures = nullptr;
constinit std::uint32_t signature_count = 0;
constinit NumberTable place_numbers;
constinit CallPlace* places = nullptr;
constinit std::uint32_t place_count = 0;

using Words = std::uint64_t[kKeyWords];

bool equal(const state::TraceKey& a, const state::TraceKey& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

std::uint64_t multiplied(std::uint64_t word) { return word * kGolden; }

std::uint64_t hash_of_place(const state::TraceKey& key) {
    const std::uint64_t product = multiplied(key.caller ^ std::uint64_t{key.function} << 48U);
    return product ^ product >> 32U;
}

CallPlace* find_place(const state::TraceKey& key) {
    const std::uint32_t number = place_numbers.find(hash_of_place(key), [&](std::uint32_t i) {
        return places[i].caller == key.caller && places[i].function == key.function;
    });
    return number == NumberTable::kNoNumber ? nullptr : &places[number];
}

std::uint32_t find_signature(const state::TraceKey& key, std::uint64_t hash) {
    return signature_numbers.find(hash, [&](std::uint32_t i) { return equal(signatures[i]->key, key); });
}

bool full(const CallPlace* place) {
    if (place == nullptr) return place_count == kMostPlaces;
    return __atomic_load_n(&signature_count, __ATOMIC_RELAXED) >= kMostSignatures ||
           __atomic_load_n(&place->signatures, __ATOMIC_RELAXED) >= kMostOfPlace;
}

/// Callers hold the recorder's lock.
std::uint32_t add_signature(const state::TraceKey& key, std::uint64_t hash, const Place& at) {
    auto* record = process_state()->allocate<state::TraceSignatureRecord>();
    if (record == nullptr) return Signature::kNoNumber;
    const std::uint32_t number = signature_count;
    record->id = number;
    record->module = at.module;
    record->address = at.address;
    record->key = key;
    StateFile::publish(record->header, state::Kind::trace_signature);
    signatures[number] = record;
    signature_numbers.add(hash, number);
    __atomic_store_n(&signature_count, number + 1, __ATOMIC_RELAXED);
    return number;
}

void count_at_place(CallPlace* place, const state::TraceKey& key, std::uint32_t number) {
    if (place != nullptr) {
        __atomic_store_n(&place->signatures, place->signatures + 1, __ATOMIC_RELAXED);
        return;
    }
    places[place_count] = {.caller = key.caller, .function = key.function, .first = number, .signatures = 1};
    place_numbers.add(hash_of_place(key), place_count);
    ++place_count;
}

}  // namespace

bool open_signatures() {
    // A call site's first call gets a signature even beyond the limit.
    signatures = static_cast<state::TraceSignatureRecord**>(
        zeroed_pages((kMostSignatures + kMostPlaces) * sizeof(state::TraceSignatureRecord*)));
    places = static_cast<CallPlace*>(zeroed_pages(kMostPlaces * sizeof(CallPlace)));
    return signatures != nullptr && places != nullptr && signature_numbers.open(4 * kMostSignatures) &&
           place_numbers.open(2 * kMostPlaces);
}

std::uint64_t hash_of(const state::TraceKey& key) {
    Words words;
    std::memcpy(words, &key, sizeof words);
    return hash_of_words(words);
}

Signature signature_of(const state::TraceKey& key, std::uint64_t hash) {
    std::uint32_t number = find_signature(key, hash);
    if (number != NumberTable::kNoNumber) return {.number = number};
    CallPlace* place = find_place(key);
    if (full(place)) {
        if (place == nullptr) return {};
        return {.number = place->first, .like = &signatures[place->first]->key};
    }
    const auto* caller = reinterpret_cast<const void*>(key.caller);
    const Place at = place_of(caller);
    if (at.passed_on) {
        state::TraceKey beyond = key;
        beyond.caller = reinterpret_cast<std::uintptr_t>(at.beyond);
        return signature_of(beyond, hash_of(beyond));
    }
    const Locked lock(slow_path);
    number = find_signature(key, hash);  // Another thread may have added it in the meantime.
    if (number != NumberTable::kNoNumber) return {.number = number};
    place = find_place(key);
    number = add_signature(key, hash, at);
    if (number == Signature::kNoNumber) {
        if (place == nullptr) return {};
        return {.number = place->first, .like = &signatures[place->first]->key};
    }
    count_at_place(place, key, number);
    return {.number = number};
}

}  // namespace waywiser::profile
