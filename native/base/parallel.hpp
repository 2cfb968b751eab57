/// Independent pieces of work on a few threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace waywiser {

/// Calls `work(i)` for each i below `pieces`; the first exception is rethrown after all calls have ended.
template <class Work>
void in_parallel(unsigned threads, std::size_t pieces, const Work& work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    const auto run = [&] {
        for (std::size_t i = next++; i < pieces; i = next++) {
            try {
                work(i);
            } catch (...) {
                const std::lock_guard lock(failing);
                if (!failure) failure = std::current_exception();
            }
        }
    };
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads && i < pieces; ++i) others.emplace_back(run);
    run();
    others.clear();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace waywiser
