/// The profiler's knowledge of the library's Fortran procedures.
///
/// Some procedures call MPI_ functions in C, where the call would be counted. Others call PMPI_ functions (all of Open
/// MPI's; MPICH's mpi_f08 without a buffer). So procedures that programs call have wrappers of their own, and their
/// calls in C count as nested.
#pragma once

#include <cstdint>

#include "profile/calls/recorder.hpp"
#include "profile/preload/library.hpp"
#include "profile/tracing/request_slots.hpp"

namespace waywiser::profile {

/// A handle of MPICH's family is the same number in both languages.
inline Handle same_in_c(int handle) {
    return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(static_cast<unsigned>(handle)));
}

struct Fortran {
    using FromFortran = Handle (*)(int);

    FromFortran comm_f2c = same_in_c;
    FromFortran file_f2c = same_in_c;
    FromFortran group_f2c = same_in_c;
    FromFortran message_f2c = same_in_c;
    FromFortran op_f2c = same_in_c;
    FromFortran request_f2c = same_in_c;
    FromFortran session_f2c = same_in_c;
    FromFortran type_f2c = same_in_c;
    FromFortran win_f2c = same_in_c;

    /// MPI_IN_PLACE is a variable, known by its address. MPICH learns it only in MPI_Init.
    const void* const* in_place = nullptr;

    /// True for MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE of mpif.h and of both modules.
    [[nodiscard]] bool ignores(const void* status) const {
        for (const void* sentinel : ignored_statuses) {
            if (sentinel != nullptr && sentinel == status) return true;
        }
        for (const void* const* sentinel : ignored_statuses_at) {
            if (sentinel != nullptr && *sentinel == status) return true;
        }
        return false;
    }

    /// Addresses of the sentinels, and the variables in which MPICH keeps those that it learns in MPI_Init.
    const void* ignored_statuses[10] = {};
    const void* const* ignored_statuses_at[2] = {};

    [[nodiscard]] Handle comm(const int* handle) const { return comm_f2c(*handle); }
    [[nodiscard]] Handle op(const int* handle) const { return op_f2c(*handle); }
    [[nodiscard]] Handle session(const int* handle) const { return session_f2c(*handle); }
    [[nodiscard]] Handle group(const int* handle) const { return group_f2c(*handle); }
    [[nodiscard]] Handle datatype(const int* handle) const { return type_f2c(*handle); }

    /// Null if the handle cannot be converted yet: these functions are also used before the library's call.
    [[nodiscard]] Handle given_comm(const int* handle) const { return library.ready() ? comm(handle) : nullptr; }
    [[nodiscard]] Handle message(const int* handle) const { return library.ready() ? message_f2c(*handle) : nullptr; }
    [[nodiscard]] Handle request(const int* handle) const { return library.ready() ? request_f2c(*handle) : nullptr; }

    [[nodiscard]] Handle file(const int* handle) const { return library.ready() ? file_f2c(*handle) : nullptr; }
    [[nodiscard]] Handle win(const int* handle) const { return library.ready() ? win_f2c(*handle) : nullptr; }

    /// A buffer as it would have been passed in C.
    [[nodiscard]] const void* buffer(const void* address) const {
        const bool stands_for_other = in_place != nullptr && address == *in_place;
        return stands_for_other ? reinterpret_cast<const void*>(library.constants.in_place) : address;
    }
};

/// The one library's Fortran. Filled when the first of its procedures is looked up.
extern Fortran fortran;

/// Arrays of handles as Fortran lays them out.
inline Handles fortran_types(const int* handles) {
    return {handles, [](const void* array, long i) { return fortran.datatype(static_cast<const int*>(array) + i); }};
}

/// \param number  number of requests
inline RequestArray fortran_array_of_requests(const int* handles, int number) {
    const auto read = [](const void* array, long i) { return fortran.request(static_cast<const int*>(array) + i); };
    return {.handles = {handles, read}, .handle_bytes = sizeof *handles, .count = number};
}

inline RequestArray fortran_array_of_messages(const int* handles, int number) {
    const auto read = [](const void* array, long i) { return fortran.message(static_cast<const int*>(array) + i); };
    return {.handles = {handles, read}, .handle_bytes = sizeof *handles, .count = number};
}

/// The definition of a Fortran procedure that comes after the profiler's.
class NextFortran {
public:
    constexpr explicit NextFortran(const char* name) : name_(name) {}

    template <class Function>
    Function get() {
        if (__builtin_expect(address_ == nullptr, 0)) resolve();
        return reinterpret_cast<Function>(address_);
    }

private:
    void resolve();

    const char* name_;
    void* address_ = nullptr;
};

/// The location of the library's error code: mpi_f08 lets a program omit the argument.
class ErrorCode {
public:
    explicit ErrorCode(int* argument) : address_(argument != nullptr ? argument : &own_) {}
    ErrorCode(const ErrorCode&) = delete;
    ErrorCode& operator=(const ErrorCode&) = delete;

    [[nodiscard]] int* address() const { return address_; }
    [[nodiscard]] int value() const { return *address_; }

private:
    int own_ = 0;
    int* address_;
};

inline void no_such_call(int* ierror) {
    if (ierror != nullptr) *ierror = kNoSuchCall;
}

}  // namespace waywiser::profile
