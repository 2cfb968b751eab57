/// Powers of two, and the extension of algorithms for them to any number of ranks.
#pragma once

#include <bit>

#include "collectives/schedule.hpp"

namespace waywiser::collectives {

[[nodiscard]] inline int power_below(int n) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(n))); }

[[nodiscard]] inline int log2_floor(int n) { return static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1; }

[[nodiscard]] inline int log2_ceiling(int n) { return n < 2 ? 0 : log2_floor(n - 1) + 1; }

/// The usual fold onto p' ranks, the largest power of two that is at most p. Among the first 2 (p - p') ranks, every
/// even rank gives its data to the odd rank after it and waits for the result. The other ranks, renumbered, run the
/// algorithm for p' ranks (Thakur, Rabenseifner, Gropp 2005, section 4.2).
class Fold {
public:
    explicit Fold(int ranks) : active_(power_below(ranks)), extra_(ranks - active_) {}

    [[nodiscard]] int active() const { return active_; }
    [[nodiscard]] int extra() const { return extra_; }
    /// rounds before the algorithm, and equally many after it
    [[nodiscard]] int rounds() const { return extra_ > 0 ? 1 : 0; }
    [[nodiscard]] bool waits(int rank) const { return rank < 2 * extra_ && rank % 2 == 0; }
    [[nodiscard]] bool takes_in(int rank) const { return rank < 2 * extra_ && rank % 2 == 1; }
    [[nodiscard]] int number(int rank) const { return rank < 2 * extra_ ? rank / 2 : rank - extra_; }
    [[nodiscard]] int rank(int number) const { return number < extra_ ? 2 * number + 1 : number + extra_; }

private:
    int active_;
    int extra_;
};

}  // namespace waywiser::collectives
