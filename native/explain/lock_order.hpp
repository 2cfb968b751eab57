/// Released locks of a window: candidates for the cause of a rank's wait for a lock.
#pragma once

#include <cstdint>
#include <vector>

#include "explain/critical_path.hpp"
#include "trace/records/action.hpp"

namespace waywiser::explain {

/// A call that releases a lock.
struct Unlock {
    std::int32_t target = trace::kAny;  ///< rank in the window; kAny: all targets
    bool exclusive = false;
    std::uint32_t rank = 0;  ///< index of the rank that held it
    std::uint32_t stream = 0;
    std::uint64_t begin_ns = 0;
    std::uint64_t call = 0;  ///< number in the stream's history
    PathPoint point = {};
};

class LockOrder {
public:
    void add(const Unlock& unlock) { unlocks_.push_back(unlock); }

    [[nodiscard]] bool full() const { return unlocks_.size() >= room_; }

    /// Removes releases that started before `before_ns`: no rank waits for them any more.
    void forget(std::uint64_t before_ns, CriticalPaths& paths);

    /// The last release strictly between two times that ended the exclusion of a lock of that target; null if there is
    /// none. Shared locks exclude only exclusive ones.
    /// \param rank  rank that requests the lock
    [[nodiscard]] const Unlock* last(std::int32_t target, bool exclusive, std::uint32_t rank, std::uint64_t after_ns,
                                     std::uint64_t before_ns) const;

private:
    std::vector<Unlock> unlocks_;
    std::size_t room_ = 64;
};

}  // namespace waywiser::explain
