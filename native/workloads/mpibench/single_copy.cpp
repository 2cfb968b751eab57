// Counts bytes in the functions of libc by which a process accesses the memory of another process. The program's
// definitions precede libc's for every library that the program loads. Open MPI, MPICH and UCX call the first two,
// Intel MPI calls syscall().
#include "workloads/mpibench/single_copy.hpp"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <array>
#include <atomic>
#include <cstdarg>

namespace {

std::atomic<std::int64_t> copied{0};

long counted(long bytes) {
    if (bytes > 0) copied.fetch_add(bytes, std::memory_order_relaxed);
    return bytes;
}

using SystemCall = long (*)(long, ...);

/// Returns syscall() of libc. No static variable may have a constructor, because its guard may call syscall().
SystemCall libc_syscall() {
    static std::atomic<SystemCall> known{nullptr};
    SystemCall call = known.load(std::memory_order_relaxed);
    if (call == nullptr) {
        call = reinterpret_cast<SystemCall>(dlsym(RTLD_NEXT, "syscall"));
        known.store(call, std::memory_order_relaxed);
    }
    return call;
}

}  // namespace

#define WAYWISER_IN_THE_PLACE_OF_LIBC extern "C" __attribute__((visibility("default")))

WAYWISER_IN_THE_PLACE_OF_LIBC ssize_t process_vm_readv(pid_t process, const iovec* own, unsigned long own_count,
                                                       const iovec* remote, unsigned long remote_count,
                                                       unsigned long flags) noexcept {
    return counted(libc_syscall()(SYS_process_vm_readv, process, own, own_count, remote, remote_count, flags));
}

WAYWISER_IN_THE_PLACE_OF_LIBC ssize_t process_vm_writev(pid_t process, const iovec* own, unsigned long own_count,
                                                        const iovec* remote, unsigned long remote_count,
                                                        unsigned long flags) noexcept {
    return counted(libc_syscall()(SYS_process_vm_writev, process, own, own_count, remote, remote_count, flags));
}

WAYWISER_IN_THE_PLACE_OF_LIBC long syscall(long number, ...) noexcept {
    std::array<long, 6> words{};  // Six is the kernel's limit of arguments; libc passes all of them.
    va_list arguments;
    va_start(arguments, number);
    for (long& word : words) word = va_arg(arguments, long);
    va_end(arguments);
    const long result = libc_syscall()(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    return number == SYS_process_vm_readv || number == SYS_process_vm_writev ? counted(result) : result;
}

namespace waywiser::mpibench {

std::int64_t single_copy_bytes() { return copied.load(std::memory_order_relaxed); }

}  // namespace waywiser::mpibench
