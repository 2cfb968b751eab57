/// The progress of a piece of work, which another thread may read.
#pragma once

#include <atomic>
#include <cstdint>

namespace waywiser {

struct Progress {
    std::atomic<std::uint64_t> done = 0;   ///< steps
    std::atomic<std::uint64_t> total = 0;  ///< 0: unknown so far
};

}  // namespace waywiser
