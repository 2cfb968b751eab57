#include "profile/tracing/completion.hpp"

#include <cstring>

#include "profile/preload/slow_path.hpp"

namespace waywiser::profile {
namespace {

// Index of the thread's scratch memory; the first two have other uses.
constexpr int kRoom = 2;
constexpr int kHandles = 3;

constexpr std::size_t kStatusBytes = sizeof(Status);

std::int32_t word(const void* status, unsigned offset) {
    std::int32_t value = 0;
    std::memcpy(&value, static_cast<const char*>(status) + offset, sizeof value);
    return value;
}

bool is_cancelled(const void* status) {
    int cancelled = 0;
    return library.test_cancelled != nullptr && library.test_cancelled(status, &cancelled) == 0 && cancelled != 0;
}

void note(SlotsFound& latest, const RequestArray& requests) {
    const std::size_t bytes = static_cast<std::size_t>(requests.count) * requests.handle_bytes;
    latest.handles = scratch(kHandles, bytes / sizeof(int) + 1);
    latest.place = latest.handles == nullptr ? nullptr : requests.handles.array;
    latest.count = requests.count;
    if (latest.place != nullptr) std::memcpy(latest.handles, requests.handles.array, bytes);
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

void Completion::look_up(bool outermost) {
    // The library rejects such arguments.
    if (requests_.count < 0 || requests_.handles.array == nullptr) requests_.count = 0;
    unsigned char* room = make_room(outermost);
    if (room == nullptr) requests_.count = 0;
    lay_out(room);
    if (!outermost) {
        leave_open_ = find();
        return;
    }
    SlotsFound& latest = self->slots_found;
    // The version is read before the look-up, because another thread may change the numbers meanwhile.
    latest.version = __atomic_load_n(&slots_version, __ATOMIC_RELAXED);
    latest.leave_open = find();
    latest.serial += 1;
    latest.list = 0;
    latest.room = room;
    note(latest, requests_);
    take(latest);
}

/// Memory for the lists; null if there is none.
unsigned char* Completion::make_room(bool outermost) {
    const auto n = static_cast<std::size_t>(requests_.count);
    constexpr std::size_t kBytes = sizeof(RequestSlot) + (1 + kNumbers) * sizeof(std::int64_t) + kStatusBytes;
    if (outermost) return reinterpret_cast<unsigned char*>(scratch(kRoom, n * kBytes / sizeof(int) + 1));
    page_bytes_ = n * kBytes + 1;
    pages_ = zeroed_pages(page_bytes_);
    return static_cast<unsigned char*>(pages_);
}

/// \return true if one of the requests is a wildcard receive
bool Completion::find() {
    find_slots(requests_, slots_);
    bool leave_open = false;
    for (std::int32_t i = 0; i < requests_.count; ++i) {
        given_[i] = slots_[i].number;
        leave_open = leave_open || (slots_[i].traits & (kAnySource | kAnyTag)) != 0;
    }
    return leave_open;
}

std::uint32_t Completion::given() const {
    SlotsFound& latest = self->slots_found;
    const bool is_latest = subject_ != 0 && latest.serial == subject_;
    if (is_latest && latest.list != 0) return latest.list;
    const std::uint32_t list = list_of(given_, static_cast<std::uint64_t>(requests_.count));
    if (is_latest) latest.list = list;
    return list;
}

std::uint32_t Completion::completed() const {
    const std::uint32_t list = list_of(completed_, kNumbers * done_);
    if (list != 0 || done_ == 0) return list;
    for (std::size_t i = 0; i < kNumbers * done_; ++i) {
        if (i % kNumbers != 0 && completed_[i] != trace::kNone) completed_[i] = trace::kUnknown;
    }
    return list_of(completed_, kNumbers * done_);
}

void Completion::done(std::int32_t index, std::int32_t status) {
    const RequestSlot& slot = slots_[index];
    if (!slot.is_active()) return;
    const Match match = match_of(statuses_, status, slot.traits);
    complete_slot(slot);
    // Sorts by index, since MPI_Waitsome names requests in any order.
    std::size_t at = kNumbers * done_;
    for (; at > 0 && completed_[at - kNumbers] > index; at -= kNumbers)
        std::memcpy(completed_ + at, completed_ + at - kNumbers, kNumbers * sizeof *completed_);
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
    statuses_ = nullptr;  // After an error, the library may not have written the statuses.
    for (std::int32_t i = 0; i < requests_.count; ++i) {
        if (slots_[i].number >= 0 && is_no_request(requests_.handles[i])) done(i, i);
    }
}

}  // namespace waywiser::profile
