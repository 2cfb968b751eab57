/// Requests that calls complete, and the sources and tags of messages that wildcard receives matched.
///
/// If the program ignores the status of such a receive, the library gets the profiler's own memory for it.
#pragma once

#include <sys/mman.h>

#include <cstring>

#include "profile/calls/recorder.hpp"
#include "profile/tracing/request_slots.hpp"
#include "profile/tracing/signatures.hpp"

namespace waywiser::profile {

/// Source and tag of a message as recorded in a trace: trace::kNone if the receive had specified it.
struct Match {
    std::int32_t source = trace::kNone;
    std::int32_t tag = trace::kNone;
};

/// The wildcards of a receive or a probe: kAnySource, kAnyTag.
[[nodiscard]] inline unsigned wildcards(int source, int tag) {
    if (source == library.constants.proc_null) return 0;
    return (source == library.constants.any_source ? unsigned{kAnySource} : 0U) |
           (tag == library.constants.any_tag ? unsigned{kAnyTag} : 0U);
}

[[nodiscard]] inline bool ignored_in_c(const void* status) {
    return reinterpret_cast<std::uintptr_t>(status) == library.constants.status_ignore;
}

/// Reads the i-th status of an array; a null array yields no match.
/// \param traits  the receive's wildcards
[[nodiscard]] Match match_of(const void* statuses, std::int32_t i, unsigned traits);

/// The largest MPI_Status of all families.
struct alignas(8) Status {
    unsigned char bytes[32];
};

/// The status of one blocking receive or probe: the program's, or the profiler's own if the program ignores it and the
/// call has wildcards.
class OneStatus {
public:
    /// \param open     the call's wildcards (kAnySource, kAnyTag); 0 without a trace
    /// \param ignored  returns whether the program ignores the status
    template <class Ignored>
    [[gnu::always_inline]] OneStatus(void* of_program, unsigned open, Ignored&& ignored)
        : open_(open), passed_(of_program) {
        if (__builtin_expect(open != 0, 0) && ignored()) passed_ = &own_;
    }
    OneStatus(const OneStatus&) = delete;
    OneStatus& operator=(const OneStatus&) = delete;

    /// The status to pass to the library.
    [[nodiscard]] void* passed() const { return passed_; }

    /// Source and tag of the message that the call has found.
    [[nodiscard]] Match match() const { return open_ == 0 ? Match{} : match_of(passed_, 0, open_); }

private:
    unsigned open_;
    void* passed_;
    Status own_;
};

/// True if the thread's latest completion was given the same requests, and nothing has changed since:
/// a poll.
[[nodiscard]] inline bool is_known(const SlotsFound& latest, const RequestArray& requests) {
    const void* now = requests.handles.array;
    if (latest.place == nullptr || latest.place != now || latest.count != requests.count ||
        latest.version != __atomic_load_n(&slots_version, __ATOMIC_RELAXED))
        return false;
    // Most polls test one request, which is compared without a call to memcmp.
    if (requests.count == 1 && requests.handle_bytes == 8) return std::memcmp(latest.handles, now, 8) == 0;
    if (requests.count == 1 && requests.handle_bytes == 4) return std::memcmp(latest.handles, now, 4) == 0;
    return std::memcmp(latest.handles, now, static_cast<std::size_t>(requests.count) * requests.handle_bytes) == 0;
}

/// The requests that were passed to a call. Construct it before the library's call, which overwrites the handles.
class Completion {
public:
    /// Stores the array; the requests are identified later.
    [[gnu::always_inline]] explicit Completion(const RequestArray& requests) : requests_(requests) {}
    [[gnu::always_inline]] Completion(const RequestArray& requests, bool outermost) : requests_(requests) {
        identify(outermost);
    }
    [[gnu::always_inline]] ~Completion() {
        if (__builtin_expect(pages_ != nullptr, 0)) munmap(pages_, page_bytes_);
    }
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;

    /// Identifies the requests before the library's call.
    /// \param outermost  false for a call within another, whose lists must stay
    [[gnu::always_inline]] void identify(bool outermost) {
        if (__builtin_expect(outermost && is_known(self->slots_found, requests_), 1)) {
            identify_again();
        } else {
            look_up(outermost);
        }
    }

    /// Reuses the requests of the thread's latest call on requests; valid after the library's call, too.
    void identify_again() {
        lay_out(self->slots_found.room);
        take(self->slots_found);
    }

    /// The status argument for the library. It is the program's, unless the program ignores statuses and one of the
    /// requests is a wildcard receive. In that case, it is the profiler's own.
    template <class Ignored>
    [[nodiscard]] void* statuses(void* of_program, Ignored&& ignored) {
        if (!leave_open_) return of_program;
        statuses_ = ignored() ? own_statuses_ : of_program;
        return statuses_;
    }

    /// True if the profiler's own status was passed to the library.
    [[nodiscard]] bool replaced() const { return statuses_ == own_statuses_ && statuses_ != nullptr; }

    /// Called after the library's call, which has completed all requests.
    void all();
    /// \param index  position of the completed request, from 0; negative: none (MPI_UNDEFINED)
    void one(int index);
    /// \param first  index of the first request in the language (0 in C, 1 in Fortran)
    void some(int n, const int* indices, int first);
    /// The call has returned an error: requests whose handles the library has reset are complete.
    void failed();

    /// Sets a trait after a call has started, cancelled or freed the requests.
    void mark(std::uint8_t trait) { mark_slots(slots_, requests_.count, trait); }
    void free() { free_slot(slots_[0]); }

    /// A number that changes if the requests differ from those of the thread's latest call.
    [[nodiscard]] std::uint64_t subject() const { return subject_; }

    /// TraceListRecord::id of the requests' numbers, in the call's order.
    [[nodiscard]] std::uint32_t given() const;

    /// TraceListRecord::id of index, source and tag of each completed request, in rising order of index. If the process
    /// has reached the limit of lists, sources and tags are unknown.
    [[nodiscard]] std::uint32_t completed() const;

    /// The key of the call in a trace.
    [[nodiscard]] state::TraceKey key(trace::Action action) const {
        state::TraceKey key;
        key.action = static_cast<std::uint8_t>(action);
        key.requests = given();
        key.completed = completed();
        return key;
    }

private:
    static constexpr std::size_t kNumbers = 3;

    void look_up(bool outermost);
    [[nodiscard]] unsigned char* make_room(bool outermost);

    /// Places all lists in one allocation.
    void lay_out(unsigned char* room) {
        const auto n = static_cast<std::size_t>(requests_.count);
        given_ = reinterpret_cast<std::int64_t*>(room);
        completed_ = given_ + n;
        slots_ = reinterpret_cast<RequestSlot*>(completed_ + kNumbers * n);
        own_statuses_ = reinterpret_cast<unsigned char*>(slots_ + n);
    }
    void take(const SlotsFound& latest) {
        leave_open_ = latest.leave_open;
        subject_ = latest.serial;
    }

    bool find();
    void done(std::int32_t index, std::int32_t status);

    RequestArray requests_;
    RequestSlot* slots_ = nullptr;
    std::int64_t* given_ = nullptr;
    std::int64_t* completed_ = nullptr;
    unsigned char* own_statuses_ = nullptr;
    void* pages_ = nullptr;  ///< memory of a nested call
    std::size_t page_bytes_ = 0;
    std::size_t done_ = 0;
    std::uint64_t subject_ = 0;
    bool leave_open_ = false;   ///< one of the requests is a wildcard receive
    void* statuses_ = nullptr;  ///< statuses to read; null: none
};

}  // namespace waywiser::profile
