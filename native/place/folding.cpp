#include "place/folding.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace waywiser::place {
namespace {

using Factors = std::vector<std::uint32_t>;  // factors of one axis: the radix of each dimension

/// The mean distance over which a digit moves on its axis.
class AxisDistances {
public:
    AxisDistances(const MachineAxes& machine, const machine::Topology& topology)
        : machine_(machine), topology_(topology) {
        for (std::size_t axis = 0; axis < machine.axes.size(); ++axis) least_.push_back(step(axis, 1, 2, 1));
    }

    /// Distance of a digit of `radix` and `stride` that changes by `by`, while all other digits on the axis stay.
    double step(std::size_t axis, std::uint32_t stride, std::uint32_t radix, std::uint32_t by) {
        const auto [known, missing] = known_.try_emplace({axis, stride, radix, by}, 0.0);
        if (!missing) return known->second;
        const Axis& its = machine_.axes[axis];
        const std::uint32_t span = stride * radix;
        // A sample of long axes suffices, because they are alike everywhere.
        const std::uint32_t sparse = std::max(1U, its.length / 1024);
        double sum = 0;
        double pairs = 0;
        for (std::uint32_t base = 0; base + span <= its.length; base += span * sparse) {
            for (std::uint32_t digit = 0; digit + by < radix; ++digit) {
                for (std::uint32_t below = 0; below < stride; below += sparse) {
                    const auto at = [&](std::uint32_t d) {
                        return base + d * stride + (d % 2 == 1 ? stride - 1 - below : below);
                    };
                    sum += its.distance(topology_, at(digit), at(digit + by));
                    ++pairs;
                }
            }
        }
        return known->second = pairs > 0 ? sum / pairs : 0;
    }

    [[nodiscard]] double least(std::size_t axis) const { return least_[axis]; }

private:
    const MachineAxes& machine_;
    const machine::Topology& topology_;
    std::vector<double> least_;
    std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t, std::uint32_t>, double> known_;
};

class FoldingSearch {
public:
    FoldingSearch(const Stencil& stencil, const MachineAxes& machine, AxisDistances& distances,
                  std::vector<std::size_t> order, std::size_t most, std::vector<Folding>& best)
        : stencil_(stencil),
          machine_(machine),
          distances_(distances),
          order_(std::move(order)),
          most_(most),
          best_(best) {
        double ranks = 1;
        for (const Stencil::Dimension& dimension : stencil.dimensions) {
            rest_.push_back(dimension.length);
            ranks *= dimension.length;
        }
        for (const Stencil::Dimension& dimension : stencil.dimensions) {
            line_bytes_.push_back(dimension.bytes * ranks / dimension.length);
        }
        digits_.resize(rest_.size());
        least_beyond_.assign(order_.size() + 1, 0);
        for (std::size_t i = order_.size(); i-- > 0;) {
            const double here = distances_.least(order_[i]);
            least_beyond_[i] = i + 1 == order_.size() ? here : std::min(here, least_beyond_[i + 1]);
        }
    }

    void run() { settle(0, 0); }

private:
    static constexpr std::size_t kMostSteps = 2'000'000;

    /// Chooses the factors on the axes from index `at` of the order on.
    void settle(std::size_t at, double cost) {
        if (++steps_ > kMostSteps) return;
        double bound = cost;
        for (std::size_t i = 0; i < rest_.size(); ++i) bound += line_bytes_[i] * (rest_[i] - 1) * least_beyond_[at];
        if (best_.size() == most_ && bound >= best_.back().hop_bytes) return;
        if (at == order_.size()) {
            keep(cost + closing_cost());
            return;
        }
        Factors factors(rest_.size(), 1);
        choose(at, cost, 0, machine_.axes[order_[at]].length, factors);
    }

    void choose(std::size_t at, double cost, std::size_t dimension, std::uint32_t left, Factors& factors) {
        if (dimension + 1 == rest_.size()) {
            if (rest_[dimension] % left != 0) return;
            factors[dimension] = left;
            place(at, cost, factors);
            return;
        }
        for (std::uint32_t factor = std::gcd(left, rest_[dimension]); factor >= 1; --factor) {
            if (left % factor != 0 || rest_[dimension] % factor != 0) continue;
            factors[dimension] = factor;
            choose(at, cost, dimension + 1, left / factor, factors);
        }
    }

    /// Puts the digits of one axis in the cheapest order, which is that of their rates over their lengths. Exchanging
    /// two adjacent digits proves it (W. E. Smith, "Various optimizers for single-stage production", Naval Research
    /// Logistics Quarterly 3, 1956).
    void place(std::size_t at, double cost, const Factors& factors) {
        const auto axis = static_cast<std::uint32_t>(order_[at]);
        std::vector<std::size_t> here;
        for (std::size_t i = 0; i < factors.size(); ++i) {
            if (factors[i] > 1) here.push_back(i);
        }
        const auto rate = [&](std::size_t i) { return line_bytes_[i] * rest_[i] / factors[i]; };
        std::ranges::stable_sort(here, std::greater{}, rate);
        std::uint32_t stride = 1;
        for (const std::size_t i : here) {
            cost += rate(i) * (factors[i] - 1) * distances_.step(axis, stride, factors[i], 1);
            digits_[i].push_back({.axis = axis, .radix = factors[i], .stride = stride});
            stride *= factors[i];
            rest_[i] /= factors[i];
        }
        settle(at + 1, cost);
        for (const std::size_t i : here) {
            digits_[i].pop_back();
            rest_[i] *= factors[i];
        }
    }

    /// Cost of the ways from the end of each ring back to its start. The slowest digit jumps; if its radix is odd, the
    /// end of the ring is at the far end of the faster digits, too.
    [[nodiscard]] double closing_cost() {
        double cost = 0;
        for (std::size_t i = 0; i < digits_.size(); ++i) {
            if (!stencil_.dimensions[i].wraps) continue;
            for (auto digit = digits_[i].rbegin(); digit != digits_[i].rend(); ++digit) {
                cost += line_bytes_[i] * distances_.step(digit->axis, digit->stride, digit->radix, digit->radix - 1);
                if (digit->radix % 2 == 0) break;
            }
        }
        return cost;
    }

    void keep(double cost) {
        if (best_.size() == most_ && cost >= best_.back().hop_bytes) return;
        const auto after = std::ranges::upper_bound(best_, cost, {}, &Folding::hop_bytes);
        best_.insert(after, {.digits = digits_, .hop_bytes = cost});
        if (best_.size() > most_) best_.pop_back();
    }

    const Stencil& stencil_;
    const MachineAxes& machine_;
    AxisDistances& distances_;
    std::vector<std::size_t> order_;
    std::size_t most_;
    std::vector<Folding>& best_;
    std::vector<std::uint32_t> rest_;   // remaining length of each dimension after the settled axes
    std::vector<double> line_bytes_;    // by dimension: bytes of one step on all its lines
    std::vector<double> least_beyond_;  // least distance of a step on the axes from each one on
    std::vector<std::vector<Folding::Digit>> digits_;
    std::size_t steps_ = 0;
};

}  // namespace

std::vector<Folding> foldings(const Stencil& stencil, const MachineAxes& machine, const machine::Topology& topology,
                              std::size_t most) {
    std::vector<Folding> best;
    AxisDistances distances(machine, topology);
    std::vector<std::size_t> order(machine.axes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(machine.first_of_grid);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(machine.end_of_grid);
    constexpr std::ptrdiff_t kMostBeside = 4;
    do {
        FoldingSearch(stencil, machine, distances, order, most, best).run();
    } while (end - begin <= kMostBeside && std::next_permutation(begin, end));
    return best;
}

std::vector<std::uint32_t> fold(const Stencil& stencil, const MachineAxes& machine, const Folding& folding) {
    const std::size_t dimensions = stencil.dimensions.size();
    const std::size_t ranks = stencil.coordinates.size() / dimensions;
    // Digits on each axis by their dimension, the slowest first.
    struct OnAxis {
        std::size_t dimension;
        Folding::Digit digit;
    };
    std::vector<std::vector<OnAxis>> on_axis(machine.axes.size());
    for (std::size_t i = 0; i < dimensions; ++i) {
        for (const Folding::Digit& digit : folding.digits[i]) on_axis[digit.axis].push_back({i, digit});
    }
    for (auto& digits : on_axis) {
        std::ranges::sort(digits, {}, [](const OnAxis& on) { return on.digit.stride; });
    }
    std::vector<std::uint32_t> order(ranks);
    std::vector<std::uint32_t> value(dimensions * machine.axes.size());  // value of each dimension's digit on each axis
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        for (std::size_t i = 0; i < dimensions; ++i) {
            std::uint32_t rest = stencil.coordinates[rank * dimensions + i];
            std::uint32_t below = stencil.dimensions[i].length;
            for (auto digit = folding.digits[i].rbegin(); digit != folding.digits[i].rend(); ++digit) {
                below /= digit->radix;
                const std::uint32_t its = rest / below;
                rest %= below;
                if (its % 2 == 1) rest = below - 1 - rest;
                value[digit->axis * dimensions + i] = its;
            }
        }
        std::uint32_t place = 0;
        for (std::size_t axis = 0; axis < machine.axes.size(); ++axis) {
            std::uint32_t at = 0;
            for (const auto& [i, digit] : on_axis[axis]) {
                const std::uint32_t its = value[axis * dimensions + i];
                at = its * digit.stride + (its % 2 == 1 ? digit.stride - 1 - at : at);
            }
            place += at * machine.strides[axis];
        }
        order[rank] = machine.slot_at[place];
    }
    return order;
}

}  // namespace waywiser::place
