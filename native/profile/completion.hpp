/// What calls complete: of the requests that they were given those that are done, and where the
/// messages of receives came from that had not named it.
///
/// Where the program ignores the status of such a receive, the library gets memory of ours for it.
#pragma once

#include "profile/recorder.hpp"
#include "profile/request_slots.hpp"

namespace waywiser::profile {

/// Source and tag of a message as a trace has them: trace::kNone where the receive had named it.
struct Match {
    std::int32_t source = trace::kNone;
    std::int32_t tag = trace::kNone;
};

/// What a receive or a probe leaves open: kAnySource, kAnyTag.
[[nodiscard]] inline unsigned wildcards(int source, int tag) {
    if (source == library.constants.proc_null) return 0;
    return (source == library.constants.any_source ? unsigned{kAnySource} : 0U) |
           (tag == library.constants.any_tag ? unsigned{kAnyTag} : 0U);
}

/// A rank or a tag as a trace has it.
[[nodiscard]] inline std::int32_t named_rank(int rank) {
    if (rank >= 0) return rank;
    if (rank == library.constants.any_source) return trace::kAny;
    if (rank == library.constants.proc_null) return trace::kNobody;
    return rank == library.constants.root ? trace::kOwnGroup : trace::kNone;
}
[[nodiscard]] inline std::int32_t named_tag(int tag) { return tag == library.constants.any_tag ? trace::kAny : tag; }

[[nodiscard]] inline bool ignored_in_c(const void* status) {
    return reinterpret_cast<std::uintptr_t>(status) == library.constants.status_ignore;
}

/// Reads a status, the i-th of an array; null tells nothing.
/// \param traits  of the receive: what it has left open
[[nodiscard]] Match match_of(const void* statuses, std::int32_t i, unsigned traits);

/// The largest MPI_Status of all families.
struct alignas(8) Status {
    unsigned char bytes[32];
};

/// The status of one blocking receive or probe: the program's, or ours where the program ignores it and
/// the call leaves something open.
class OneStatus {
public:
    OneStatus(void* given, bool ignored, unsigned traits)
        : traits_(traits),
          read_(!ignored      ? given
                : traits != 0 ? &own_
                              : nullptr),
          passed_(read_ == nullptr ? given : read_) {}
    OneStatus(const OneStatus&) = delete;
    OneStatus& operator=(const OneStatus&) = delete;

    /// What the library is called with.
    [[nodiscard]] void* passed() const { return passed_; }

    /// After a call that has found a message.
    [[nodiscard]] Match match() const { return traits_ == 0 ? Match{} : match_of(read_, 0, traits_); }

private:
    unsigned traits_;
    Status own_;
    void* read_;
    void* passed_;
};

struct Numbers {
    const std::int32_t* values;
    std::size_t count;
};

/// One call that completes, or asks for the completion of, requests. Made before the library's call,
/// which overwrites the handles.
class Completion {
public:
    explicit Completion(const RequestArray& requests);
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;

    /// What the library is called with for the program's status or statuses.
    [[nodiscard]] void* statuses(void* given, bool ignored);

    /// After the call: which of the requests it has completed. Exactly one of these is called, once.
    void none() {}
    void all();
    /// \param index  from 0; negative: none (MPI_UNDEFINED)
    void one(int index);
    /// \param first  number that the language gives to the first request
    void some(int n, const int* indices, int first);
    /// The call has returned an error: those whose handles the library has taken are complete.
    void failed();

    /// Numbers of the requests that the call was given, in its order.
    [[nodiscard]] Numbers given() const {
        return {.values = given_, .count = static_cast<std::size_t>(requests_.count)};
    }

    /// True if they are those of the thread's completion before this one.
    [[nodiscard]] bool same_as_before() const { return same_; }

    /// Index, source and tag of each completed request, in rising order of index.
    [[nodiscard]] Numbers completed() const { return {.values = completed_, .count = 3 * done_}; }

private:
    void done(std::int32_t index, std::int32_t status);

    RequestArray requests_;
    RequestSlot* slots_ = nullptr;
    std::int32_t* given_ = nullptr;
    std::int32_t* completed_ = nullptr;
    std::size_t done_ = 0;
    bool open_sources_ = false;  ///< a receive among them has left something open
    bool same_ = false;
    const void* statuses_ = nullptr;  ///< to be read; null: there are none
};

/// One request's number, of a call that frees, cancels or starts it: before the library's call.
[[nodiscard]] RequestSlot slot_of(const RequestArray& request);

}  // namespace waywiser::profile
