#include "simulate/exchange.hpp"

#include <thread>
#include <utility>

namespace waywiser::simulate {
namespace {

/// Number of times that a box is polled before its part sleeps: some tens of microseconds, in which letters often
/// arrive. Waking a thread takes equally long.
constexpr int kLooks = 100;

void wait_a_little(const std::atomic<bool>& full) {
    for (int i = 0; i < kLooks && !full.load(std::memory_order_relaxed); ++i) std::this_thread::yield();
}

}  // namespace

void Exchange::post(std::uint32_t to, Letters letters) {
    const std::lock_guard lock(lock_);
    boxes_[to].letters.push_back(std::move(letters));
    boxes_[to].full.store(true, std::memory_order_relaxed);
    if (!idle_[to]) return;
    idle_[to] = false;
    --idle_count_;
    changed_.notify_all();
}

std::vector<Letters> Exchange::collect(std::uint32_t part, bool idle) {
    Box& box = boxes_[part];
    if (idle) wait_a_little(box.full);
    if (!idle && !box.full.load(std::memory_order_relaxed)) return {};
    std::unique_lock lock(lock_);
    if (idle && box.letters.empty() && !over_) {
        idle_[part] = true;
        over_ = ++idle_count_ == boxes_.size();
        if (over_) changed_.notify_all();
        changed_.wait(lock, [&] { return over_ || !idle_[part]; });
    }
    box.full.store(false, std::memory_order_relaxed);
    return std::exchange(box.letters, {});
}

void Exchange::stop() {
    const std::lock_guard lock(lock_);
    over_ = true;
    changed_.notify_all();
}

/// Requests a handshake: the receiver's part determines when the data are granted, and reports when they have left. If
/// the data wait for calls of the sender, the receiver's part reports the grant and is notified of the arrival.
void Mail::request(std::uint32_t channel, const Handshake& handshake, std::uint32_t number) {
    std::vector<Handshake>& requests = letters_[channels_[channel & ~kAway].part].requests;
    send(channel, {.available = {}, .handshake = static_cast<std::uint32_t>(requests.size())});
    requests.push_back(handshake);
    requests.back().other_part = part_;
    requests.back().other_number = number;
}

void Mail::hand_over(Exchange& exchange) {
    for (std::uint32_t part = 0; part < letters_.size(); ++part) {
        if (letters_[part].empty()) continue;
        letters_[part].from = part_;
        exchange.post(part, std::exchange(letters_[part], {}));
    }
}

}  // namespace waywiser::simulate
