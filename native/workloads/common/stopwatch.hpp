/// Wall time since construction or the last lap, from the monotonic clock.
#pragma once

#include <chrono>

namespace waywiser {

class Stopwatch {
public:
    /// Seconds since the last lap; the next lap starts here.
    double lap_s() {
        const auto now = std::chrono::steady_clock::now();
        const std::chrono::duration<double> elapsed = now - start_;
        start_ = now;
        return elapsed.count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace waywiser
