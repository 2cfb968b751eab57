#include "profile/completion.hpp"

#include <cstring>

namespace waywiser::profile {
namespace {

// The thread's scratch: the first two are others'.
constexpr int kSlots = 2;
constexpr int kGiven = 3;
constexpr int kCompleted = 4;
constexpr int kStatuses = 5;

constexpr std::size_t kNumbersOfCompletion = 3;

template <class T>
T* room(int which, std::int32_t n) {
    constexpr std::size_t kInts = (sizeof(T) + sizeof(int) - 1) / sizeof(int);
    return reinterpret_cast<T*>(scratch(which, kInts * static_cast<std::size_t>(n > 0 ? n : 1)));
}

std::int32_t word(const void* status, unsigned offset) {
    std::int32_t value = 0;
    std::memcpy(&value, static_cast<const char*>(status) + offset, sizeof value);
    return value;
}

bool is_cancelled(const void* status) {
    int cancelled = 0;
    return library.test_cancelled != nullptr && library.test_cancelled(status, &cancelled) == 0 && cancelled != 0;
}

/// True if the thread's latest completion found the same requests, and nothing has changed since:
/// a poll.
bool is_known(const SlotsFound& latest, const RequestArray& requests) {
    return latest.place == requests.handles.array && latest.count == requests.count &&
           latest.version == __atomic_load_n(&slots_version, __ATOMIC_RELAXED) && latest.place != nullptr &&
           std::memcmp(latest.handles, requests.handles.array,
                       static_cast<std::size_t>(requests.count) * requests.handle_bytes) == 0;
}

void note(SlotsFound& latest, const RequestArray& requests, std::uint64_t version) {
    const std::size_t bytes = static_cast<std::size_t>(requests.count) * requests.handle_bytes;
    latest.place = requests.count > 0 && bytes <= sizeof latest.handles ? requests.handles.array : nullptr;
    if (latest.place == nullptr) return;
    std::memcpy(latest.handles, requests.handles.array, bytes);
    latest.count = requests.count;
    latest.version = version;
}

}  // namespace

Match match_of(const void* statuses, std::int32_t i, unsigned traits) {
    const auto of = [&](unsigned wildcard, int value) {
        if ((traits & wildcard) == 0) return trace::kNone;
        return statuses == nullptr ? trace::kUnknown : value;
    };
    if (statuses == nullptr) return {.source = of(kAnySource, 0), .tag = of(kAnyTag, 0)};
    const Constants& constants = library.constants;
    const char* status = static_cast<const char*>(statuses) + static_cast<std::size_t>(i) * constants.status_bytes;
    if ((traits & kCancelled) != 0 && is_cancelled(status)) return {};
    return {.source = of(kAnySource, word(status, constants.source_in_status)),
            .tag = of(kAnyTag, word(status, constants.source_in_status + sizeof(int)))};
}

Completion::Completion(const RequestArray& requests) : requests_(requests) {
    if (requests_.count < 0) requests_.count = 0;
    slots_ = room<RequestSlot>(kSlots, requests_.count);
    given_ = room<std::int32_t>(kGiven, requests_.count);
    completed_ = room<std::int32_t>(kCompleted, static_cast<std::int32_t>(kNumbersOfCompletion) * requests_.count);
    if (slots_ == nullptr || given_ == nullptr || completed_ == nullptr) {
        requests_.count = 0;
        return;
    }
    SlotsFound& latest = self->slots_found;
    same_ = is_known(latest, requests_);
    if (!same_) {
        // Taken before: another thread may change the numbers meanwhile.
        const std::uint64_t version = __atomic_load_n(&slots_version, __ATOMIC_RELAXED);
        find_slots(requests_, slots_);
        latest.open_sources = false;
        for (std::int32_t i = 0; i < requests_.count; ++i) {
            given_[i] = slots_[i].number;
            latest.open_sources |= (slots_[i].traits & (kAnySource | kAnyTag)) != 0;
        }
        note(latest, requests_, version);
    }
    open_sources_ = latest.open_sources;
}

void* Completion::statuses(void* given, bool ignored) {
    if (!open_sources_) return given;
    statuses_ = ignored ? room<Status>(kStatuses, requests_.count) : given;
    return statuses_ == nullptr ? given : const_cast<void*>(statuses_);
}

void Completion::done(std::int32_t index, std::int32_t status) {
    const RequestSlot& slot = slots_[index];
    if (!slot.is_active()) return;
    const Match match = match_of(statuses_, status, slot.traits);
    complete_slot(slot);
    // By index: MPI_Waitsome names them in any order.
    std::size_t at = kNumbersOfCompletion * done_;
    for (; at > 0 && completed_[at - kNumbersOfCompletion] > index; at -= kNumbersOfCompletion)
        std::memcpy(completed_ + at, completed_ + at - kNumbersOfCompletion, kNumbersOfCompletion * sizeof *completed_);
    completed_[at] = index;
    completed_[at + 1] = match.source;
    completed_[at + 2] = match.tag;
    ++done_;
}

void Completion::all() {
    for (std::int32_t i = 0; i < requests_.count; ++i) done(i, i);
}

void Completion::one(int index) {
    if (index >= 0 && index < requests_.count) done(index, 0);
}

void Completion::some(int n, const int* indices, int first) {
    for (int i = 0; i < n; ++i) {
        const int index = indices[i] - first;
        if (index >= 0 && index < requests_.count) done(index, i);
    }
}

void Completion::failed() {
    statuses_ = nullptr;  // the library need not have written it
    for (std::int32_t i = 0; i < requests_.count; ++i) {
        if (slots_[i].number >= 0 && is_no_request(requests_.handles[i])) done(i, i);
    }
}

RequestSlot slot_of(const RequestArray& request) {
    RequestSlot slot{};
    find_slots(request, &slot);
    return slot;
}

}  // namespace waywiser::profile
