#include "explain/lock_order.hpp"

namespace waywiser::explain {

void LockOrder::forget(std::uint64_t before_ns, CriticalPaths& paths) {
    std::erase_if(unlocks_, [&](Unlock& unlock) {
        if (unlock.begin_ns >= before_ns) return false;
        paths.drop(unlock.point);
        return true;
    });
    room_ = 64 + 2 * unlocks_.size();
}

const Unlock* LockOrder::last(std::int32_t target, bool exclusive, std::uint32_t rank, std::uint64_t after_ns,
                              std::uint64_t before_ns) const {
    const Unlock* last = nullptr;
    for (const Unlock& unlock : unlocks_) {
        const bool same = unlock.target == target || unlock.target == trace::kAny || target == trace::kAny;
        if (!same || unlock.rank == rank || !(exclusive || unlock.exclusive)) continue;
        if (unlock.begin_ns <= after_ns || unlock.begin_ns >= before_ns) continue;
        if (last == nullptr || unlock.begin_ns > last->begin_ns) last = &unlock;
    }
    return last;
}

}  // namespace waywiser::explain
