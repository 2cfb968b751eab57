#include "simulate/nics.hpp"

#include <algorithm>

namespace waywiser::simulate {

double Calendar::take(double earliest_ns, double length_ns) {
    auto next = std::ranges::upper_bound(busy_, earliest_ns, {}, &Busy::end_ns);
    double begin_ns = earliest_ns;
    while (next != busy_.end() && next->begin_ns < begin_ns + length_ns)
        begin_ns = std::max(begin_ns, (next++)->end_ns);
    if (length_ns <= 0) return begin_ns;
    const Busy taken{.begin_ns = begin_ns, .end_ns = begin_ns + length_ns};
    if (next != busy_.begin() && (next - 1)->end_ns == taken.begin_ns) {
        (next - 1)->end_ns = taken.end_ns;
    } else {
        busy_.insert(next, taken);
    }
    if (busy_.size() > kMost) {
        const auto half = busy_.begin() + kMost / 2;
        half->begin_ns = busy_.front().begin_ns;
        busy_.erase(busy_.begin(), half);
    }
    return begin_ns;
}

}  // namespace waywiser::simulate
