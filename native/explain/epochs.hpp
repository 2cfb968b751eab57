/// The state of a rank's epochs of a window, or of its split collective of a file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "explain/stream.hpp"
#include "mpi/calls.hpp"
#include "mpi/windows.hpp"

namespace waywiser::explain {

/// A lock of a window that a rank has requested and not released.
struct Lock {
    std::int32_t target = trace::kAny;
    bool exclusive = false;
    bool held = false;  ///< the lock is certainly held; MPI_Win_lock may return earlier
};

struct Epochs {
    std::vector<Need> open;  ///< needs that were open when calls ended, and for which later calls may wait
    mpi::EpochPartners with;
    std::uint64_t operated_ns = 0;  ///< end of the access epoch's last operation, or of its first call
    std::vector<Lock> locks;

    /// Moves open needs of earlier calls of the epoch to a call that may wait for them.
    void resume(std::int32_t target, std::vector<Need>& needs) {
        std::erase_if(open, [&](const Need& need) {
            if (!mpi::same_or_any(need.peer, target)) return false;
            needs.push_back(need);
            return true;
        });
    }

    /// Calls `visit(lock)` for each lock that may not be held yet.
    template <class Visit>
    void seek_locks(std::int32_t target, Visit visit) const {
        for (const Lock& lock : locks) {
            if (!lock.held && mpi::same_or_any(lock.target, target)) visit(lock);
        }
    }

    /// Marks a lock as held after the rank has waited for it.
    void hold(std::int32_t target) {
        for (Lock& lock : locks) lock.held = lock.held || lock.target == target;
    }

    /// Marks all locks of the target as held after a flush.
    void hold_all(std::int32_t target) {
        for (Lock& lock : locks) lock.held = lock.held || mpi::same_or_any(lock.target, target);
    }

    [[nodiscard]] std::optional<Lock> give_back(std::int32_t target) {
        const auto at = std::ranges::find(locks, target, &Lock::target);
        if (at == locks.end()) return std::nullopt;
        const Lock lock = *at;
        locks.erase(at);
        return lock;
    }
};

}  // namespace waywiser::explain
