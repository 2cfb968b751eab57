#include "simulate/exchange.hpp"

namespace waywiser::simulate {

void Exchange::post(std::uint32_t to, Letters letters) {
    const std::lock_guard lock(lock_);
    boxes_[to].push_back(std::move(letters));
    if (!idle_[to]) return;
    idle_[to] = false;
    --idle_count_;
    changed_.notify_all();
}

std::vector<Letters> Exchange::collect(std::uint32_t part, bool idle) {
    std::unique_lock lock(lock_);
    if (idle && boxes_[part].empty() && !over_) {
        idle_[part] = true;
        over_ = ++idle_count_ == boxes_.size();
        if (over_) changed_.notify_all();
        changed_.wait(lock, [&] { return over_ || !idle_[part]; });
    }
    return std::exchange(boxes_[part], {});
}

void Exchange::stop() {
    const std::lock_guard lock(lock_);
    over_ = true;
    changed_.notify_all();
}

}  // namespace waywiser::simulate
