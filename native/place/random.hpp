/// Random numbers that are identical on every machine, unlike <random>'s distributions.
#pragma once

#include <cstdint>

#include "base/hash.hpp"

namespace waywiser::place {

/// SplitMix64 generator.
class Random {
public:
    explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

    std::uint64_t next() noexcept {
        state_ += kGolden;
        return splitmix(state_);
    }
    /// A random integer, 0 <= x < n.
    std::uint32_t below(std::uint64_t n) noexcept { return static_cast<std::uint32_t>(((next() >> 32U) * n) >> 32U); }
    /// A random number, 0 <= x < 1.
    double fraction() noexcept { return static_cast<double>(next() >> 11U) * 0x1p-53; }

private:
    std::uint64_t state_;
};

}  // namespace waywiser::place
