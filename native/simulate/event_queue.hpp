/// Events in the order of time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace waywiser::simulate {

/// Most events lie far ahead when they are added, and wait unordered in spans of time. The events of a span are sorted
/// when its turn comes, so that the cost of an event hardly depends on their number (R. Brown, "Calendar queues",
/// Communications of the ACM 31(10), 1988). Events later than the last span are spread over new spans once the present
/// ones are over (W. T. Tang, R. S. M. Goh, I. L.-J. Thng, "Ladder queue", ACM TOMACS 15(3), 2005).
///
/// An event has a time, `at_ns`, and an ordering that compares it first.
template <class Event>
class EventQueue {
public:
    [[nodiscard]] bool empty() const noexcept { return sorted_.empty() && late_.empty(); }
    [[nodiscard]] const Event& top() const noexcept { return is_late() ? late_.front() : sorted_.back(); }

    /// The events, in no order, of the current span (0), or of one of the following spans as far as they are known.
    /// Memory that the events touch can be prefetched before their time comes.
    [[nodiscard]] std::span<const Event> of_span(std::size_t ahead) const noexcept {
        if (ahead == 0) return sorted_;
        return turn_ + ahead <= count_ ? spans_[turn_ + ahead - 1] : std::span<const Event>{};
    }

    void push(const Event& event) {
        const double place = place_of(event);
        if (event.at_ns > end_ns_) {
            far_.push_back(event);
            if (empty()) (void)turn();
        } else if (turn_ < count_ && place >= static_cast<double>(turn_)) {
            spans_[span_of(place)].push_back(event);
        } else {
            late_.push_back(event);
            std::push_heap(late_.begin(), late_.end(), Later());
        }
    }

    /// \return true if another span has become current
    bool pop() {
        if (is_late()) {
            std::pop_heap(late_.begin(), late_.end(), Later());
            late_.pop_back();
        } else {
            sorted_.pop_back();
        }
        return empty() && turn();
    }

private:
    static constexpr std::size_t kOfSpan = 8;  ///< approximate number of events in a span

    struct Later {
        bool operator()(const Event& a, const Event& b) const noexcept { return b < a; }
    };

    /// The next event.
    [[nodiscard]] bool is_late() const noexcept {
        return !late_.empty() && (sorted_.empty() || late_.front() < sorted_.back());
    }
    [[nodiscard]] double place_of(const Event& event) const noexcept {
        return (event.at_ns - begin_ns_) * spans_per_ns_;
    }
    [[nodiscard]] std::size_t span_of(double place) const noexcept {
        const std::size_t last = count_ - 1;
        return place < static_cast<double>(last) ? static_cast<std::size_t>(place) : last;
    }

    bool turn() {
        if (turn_ == count_) spread();
        while (turn_ < count_ && spans_[turn_].empty()) ++turn_;
        if (turn_ == count_) return false;
        sorted_.swap(spans_[turn_++]);
        std::sort(sorted_.begin(), sorted_.end(), Later());
        return true;
    }

    void spread() {
        turn_ = 0;
        count_ = (far_.size() + kOfSpan - 1) / kOfSpan;
        while (spans_.size() < count_) spans_.emplace_back().reserve(2 * kOfSpan);
        if (far_.empty()) return;
        const auto [first, last] = std::ranges::minmax_element(far_, {}, &Event::at_ns);
        begin_ns_ = first->at_ns;
        end_ns_ = last->at_ns;
        const double length_ns = end_ns_ - begin_ns_;
        spans_per_ns_ = length_ns > 0 ? static_cast<double>(count_) / length_ns : 0;
        for (const Event& event : far_) spans_[span_of(place_of(event))].push_back(event);
        far_.clear();
    }

    std::vector<Event> sorted_;              // events of the current span, in reverse order
    std::vector<Event> late_;                // a heap of events that were added after their span had become current
    std::vector<std::vector<Event>> spans_;  // spans of equal length; spans that are not in use keep their memory
    std::size_t count_ = 0;                  // number of spans in use
    std::size_t turn_ = 0;                   // index of the first remaining span
    double begin_ns_ = 0;                    // start of the first span
    double end_ns_ = -std::numeric_limits<double>::infinity();  // end of the last span
    double spans_per_ns_ = 0;
    std::vector<Event> far_;  // events after all spans
};

}  // namespace waywiser::simulate
