/// Sampling of a step by receivers, before their cells or faces are advanced.
#pragma once

#include <cstdint>
#include <functional>

namespace waywiser::rupture {

/// Samples a group of cells, or of faces of the fault, that is about to advance from `time` to `time + dt`.
using Sampler = std::function<void(std::int64_t group, double time, double dt)>;

/// Multiples of an interval in a step, from the step's start up to but not including its end. Between consecutive
/// steps, rounding neither loses nor doubles a multiple.
class SampleTimes {
public:
    explicit SampleTimes(double every_s) : every_s_(every_s) {}

    [[nodiscard]] double at_s(std::int64_t number) const { return every_s_ * static_cast<double>(number); }
    [[nodiscard]] bool before(std::int64_t number, double end_s) const {
        constexpr double slack = 1e-6;
        return every_s_ * (static_cast<double>(number) + slack) < end_s;
    }
    /// Number of the first multiple that is not before a time.
    [[nodiscard]] std::int64_t next(double time_s) const {
        auto number = static_cast<std::int64_t>(time_s / every_s_);
        while (number > 0 && !before(number - 1, time_s)) --number;
        while (before(number, time_s)) ++number;
        return number;
    }

private:
    double every_s_;
};

}  // namespace waywiser::rupture
