#include "explain/history.hpp"

namespace waywiser::explain {
namespace {

std::uint64_t packed(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32U | low; }

}  // namespace

Intervals::Intervals(std::size_t signatures) : by_signature_(signatures) { add({.function = kBeforeCalls, .site = 0}); }

std::uint32_t Intervals::add(const Place& place) {
    const auto number = static_cast<std::uint32_t>(places_.size());
    places_.push_back(place);
    within_.push_back(static_cast<std::uint32_t>(intervals_.size()));
    intervals_.push_back({.computing = false, .before = number, .after = number});
    return number;
}

std::uint32_t Intervals::new_place(std::uint32_t signature, const Place& place) {
    std::uint32_t& number = by_place_[packed(place.function, place.site)];
    if (number == 0) number = add(place) + 1;
    by_signature_[signature] = number;
    return number - 1;
}

std::uint32_t Intervals::find_between(std::uint32_t before, std::uint32_t after) {
    std::uint32_t& number = between_[packed(before, after)];
    if (number == 0) {
        intervals_.push_back({.computing = true, .before = before, .after = after});
        number = static_cast<std::uint32_t>(intervals_.size());
    }
    recent_[slot(before, after)] = {.before = before, .after = after, .number = number - 1};
    return number - 1;
}

bool History::grow() {
    if (segments_.size() >= most_) return false;
    std::vector<Segment> segments(2 * segments_.size());
    std::vector<Shares> shares(segments.size());
    const std::uint64_t mask = segments.size() - 1;
    for (std::uint64_t i = begin(); i < end_; ++i) {
        segments[i & mask] = (*this)[i];
        shares[i & mask] = this->shares(i);
    }
    mask_ = mask;
    segments_ = std::move(segments);
    shares_ = std::move(shares);
    look_before_overwriting(begin());
    return true;
}

}  // namespace waywiser::explain
