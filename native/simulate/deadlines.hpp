/// The next of many deadlines that change more often than they expire.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace waywiser::simulate {

/// Deadlines, of which only those before a horizon are ordered. Changing any other deadline costs no more than noting
/// the time. When no deadline is left before the horizon, all deadlines are searched and the horizon is moved ahead. It
/// is moved far enough that one search serves many deadlines.
class Deadlines {
public:
    static constexpr double kNever_ns = std::numeric_limits<double>::infinity();

    struct Due {
        double at_ns = kNever_ns;
        std::uint32_t number = 0;

        [[nodiscard]] bool operator<(const Due& other) const noexcept {
            return at_ns < other.at_ns || (at_ns == other.at_ns && number < other.number);
        }
    };

    /// Sets the deadline of a number, replacing the former one; kNever_ns removes it.
    void set(std::uint32_t number, double at_ns) {
        if (number >= due_ns_.size()) due_ns_.resize(number + 1UL, kNever_ns);
        double& due_ns = due_ns_[number];
        count_ += static_cast<std::size_t>(due_ns == kNever_ns) - static_cast<std::size_t>(at_ns == kNever_ns);
        due_ns = at_ns;
        if (at_ns > horizon_ns_ || at_ns == kNever_ns) return;
        late_.push_back({.at_ns = at_ns, .number = number});
        std::push_heap(late_.begin(), late_.end(), Later());
    }

    /// The time of a deadline that has been set.
    [[nodiscard]] double at_ns(std::uint32_t number) const noexcept { return due_ns_[number]; }

    /// The first deadline; its time is kNever_ns if there is none.
    [[nodiscard]] Due next() {
        drop_outdated();
        if (sorted_.empty() && late_.empty()) {
            if (count_ == 0) return {};
            look_ahead();
        }
        const bool is_late = sorted_.empty() || (!late_.empty() && late_.front() < sorted_.back());
        return is_late ? late_.front() : sorted_.back();
    }

    /// The deadline about that many places after the next one; null beyond the horizon.
    [[nodiscard]] const Due* after(std::size_t places) const noexcept {
        return places < sorted_.size() ? &sorted_[sorted_.size() - 1 - places] : nullptr;
    }

private:
    struct Later {
        bool operator()(const Due& a, const Due& b) const noexcept { return b < a; }
    };

    [[nodiscard]] bool is_outdated(const Due& due) const noexcept { return due_ns_[due.number] != due.at_ns; }

    void drop_outdated() {
        for (; !sorted_.empty() && is_outdated(sorted_.back()); ++dropped_) sorted_.pop_back();
        for (; !late_.empty() && is_outdated(late_.front()); ++dropped_) {
            std::pop_heap(late_.begin(), late_.end(), Later());
            late_.pop_back();
        }
    }

    /// Searches all deadlines. The horizon is adapted so that a search costs about the same per expired deadline.
    void look_ahead() {
        constexpr std::size_t kFew = 8;
        constexpr std::size_t kMany = 64;
        constexpr double kLeast_ns = 1e-3;
        if (dropped_ * kMany < due_ns_.size()) length_ns_ *= 1.5;
        if (dropped_ * kFew > due_ns_.size()) length_ns_ = std::max(length_ns_ / 2, kLeast_ns);
        dropped_ = 0;
        gather_until(horizon_ns_ + length_ns_);
        if (sorted_.empty()) gather_until(*std::ranges::min_element(due_ns_) + length_ns_);
        std::sort(sorted_.begin(), sorted_.end(), Later());
    }

    void gather_until(double horizon_ns) {
        horizon_ns_ = horizon_ns;
        for (std::uint32_t number = 0; number < due_ns_.size(); ++number) {
            if (due_ns_[number] <= horizon_ns) sorted_.push_back({.at_ns = due_ns_[number], .number = number});
        }
    }

    std::vector<double> due_ns_;  // indexed by number
    std::size_t count_ = 0;       // number of deadlines that are not kNever_ns
    std::vector<Due> sorted_;     // the last deadline first; some are outdated
    std::vector<Due> late_;       // a heap of deadlines set before the horizon; some are outdated
    std::size_t dropped_ = 0;     // number of outdated entries since the horizon was set
    double horizon_ns_ = -kNever_ns;
    double length_ns_ = 1;  // length of the span before the horizon
};

}  // namespace waywiser::simulate
