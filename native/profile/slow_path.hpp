/// What happens once per thing (a thread, a function, a partner, a communicator) and not per call:
/// one lock for all of it, and memory from the kernel, since the program's malloc is not ours.
#pragma once

#include <pthread.h>
#include <sys/mman.h>

#include <cstddef>

namespace waywiser::profile {

/// Zeroed memory of the process, null if there is none.
inline void* zeroed_pages(std::size_t bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? nullptr : at;
}

class Locked {
public:
    explicit Locked(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
    ~Locked() { pthread_mutex_unlock(&mutex_); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    pthread_mutex_t& mutex_;
};

extern pthread_mutex_t slow_path;

}  // namespace waywiser::profile
