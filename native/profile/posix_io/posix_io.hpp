/// Calls of libc that read and write files, as far as `--posix-io` counts them.
///
/// The wrappers are a library of their own, libwaywiser-posix-io.so, so that read and write are not intercepted by
/// default. The library passes its counts to the profiler by one exported function.
#pragma once

#include <cstdint>

namespace waywiser::profile {

// clang-format off
#define WAYWISER_IO_CALLS(X)                                                                       \
    X(open) X(openat) X(creat) X(close) X(read) X(write) X(pread) X(pwrite) X(readv) X(writev)     \
    X(preadv) X(pwritev) X(fsync) X(fdatasync) X(fopen) X(fclose) X(fread) X(fwrite) X(fflush)     \
    X(fgets) X(fputs) X(fprintf) X(getline)
// clang-format on

/// Functions that are counted; `open` stands for open64 and __open_2 as well.
enum class Io : unsigned {
#define X(name) name,
    WAYWISER_IO_CALLS(X)
#undef X
        count
};

inline constexpr auto kIoCalls = static_cast<unsigned>(Io::count);

/// Makes the records of all calls in advance, because the calls themselves may come from signal handlers.
void open_io_records();

}  // namespace waywiser::profile

/// Records a call on a file that took from `begin` to `end` [ticks] and moved `bytes`. Counts nothing within MPI calls
/// and outside MPI_Init … MPI_Finalize. Async-signal-safe.
extern "C" [[gnu::visibility("default")]] void waywiser_record_io(unsigned call, std::uint64_t begin, std::uint64_t end,
                                                                  std::uint64_t bytes);
