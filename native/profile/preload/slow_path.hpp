/// Work that is done once per thread, function, partner or communicator, not once per call. One lock guards all of it.
/// Memory comes from the kernel, since malloc belongs to the program.
#pragma once

#include <pthread.h>
#include <sys/mman.h>

#include <cstddef>

namespace waywiser::profile {

/// Zeroed memory of the process; null if none is left.
inline void* zeroed_pages(std::size_t bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? nullptr : at;
}

/// Enlarges a table; without memory, the table stays as it is.
template <class T>
[[nodiscard]] bool grow(T*& table, std::size_t old_size, std::size_t size) {
    void* pages = zeroed_pages(size * sizeof(T));
    if (pages == nullptr) return false;
    T* old = table;
    table = static_cast<T*>(pages);
    for (std::size_t i = 0; i < old_size; ++i) table[i] = old[i];
    if (old != nullptr) munmap(static_cast<void*>(old), old_size * sizeof(T));
    return true;
}

/// Locks that the calling thread holds or waits for. The library's callbacks and signal handlers must not wait for
/// them.
extern __attribute__((tls_model("initial-exec"))) constinit thread_local int locks_held;

class Locked {
public:
    explicit Locked(pthread_mutex_t& mutex) : mutex_(mutex) {
        ++locks_held;
        pthread_mutex_lock(&mutex_);
    }
    ~Locked() {
        pthread_mutex_unlock(&mutex_);
        --locks_held;
    }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    pthread_mutex_t& mutex_;
};

extern pthread_mutex_t slow_path;

}  // namespace waywiser::profile
