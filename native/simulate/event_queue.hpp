/// Events of flows in the order of time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace waywiser::simulate {

struct FlowEvent {
    double at_ns = 0;
    std::uint32_t flow = 0;
    std::uint32_t way = 0;

    [[nodiscard]] bool operator<(const FlowEvent& other) const noexcept {
        return at_ns < other.at_ns || (at_ns == other.at_ns && flow < other.flow);
    }
};

/// The next few events are known in their order, so that what they touch can be fetched from far away before their
/// time comes. Behind them is a heap in which four follow each: half as deep as with two, and these share a cache line
/// or two (D. B. Johnson, "Efficient algorithms for shortest paths in sparse networks", Journal of the ACM 24(1),
/// 1977).
class EventQueue {
public:
    static constexpr std::size_t kNext = 16;

    [[nodiscard]] bool empty() const noexcept { return next_.empty(); }
    [[nodiscard]] const FlowEvent& top() const noexcept { return next_.back(); }
    /// The next ones, the last of them first.
    [[nodiscard]] std::span<const FlowEvent> next() const noexcept { return next_; }

    void push(const FlowEvent& event) {
        if (next_.size() == kNext && !(event < next_.front())) return push_behind(event);
        if (next_.size() == kNext) {
            push_behind(next_.front());
            next_.erase(next_.begin());
        }
        next_.insert(std::ranges::lower_bound(next_, event, later), event);
    }

    /// \return whether another one is among the next ones now: the first of them
    bool pop() {
        next_.pop_back();
        if (behind_.empty()) return false;
        next_.insert(next_.begin(), behind_.front());
        pop_behind();
        return true;
    }

private:
    static constexpr std::size_t kChildren = 4;

    static bool later(const FlowEvent& a, const FlowEvent& b) noexcept { return b < a; }

    void push_behind(const FlowEvent& event) {
        behind_.push_back(event);
        std::size_t at = behind_.size() - 1;
        for (std::size_t parent = 0; at > 0 && event < behind_[parent = (at - 1) / kChildren]; at = parent) {
            behind_[at] = behind_[parent];
        }
        behind_[at] = event;
    }

    void pop_behind() {
        const FlowEvent last = behind_.back();
        behind_.pop_back();
        if (behind_.empty()) return;
        std::size_t at = 0;
        for (;;) {
            const std::size_t begin = kChildren * at + 1;
            const std::size_t end = std::min(begin + kChildren, behind_.size());
            if (begin >= end) break;
            std::size_t least = begin;
            for (std::size_t child = begin + 1; child < end; ++child) {
                if (behind_[child] < behind_[least]) least = child;
            }
            if (!(behind_[least] < last)) break;
            behind_[at] = behind_[least];
            at = least;
        }
        behind_[at] = last;
    }

    std::vector<FlowEvent> next_;    // the last of them first
    std::vector<FlowEvent> behind_;  // none before the last of these
};

}  // namespace waywiser::simulate
