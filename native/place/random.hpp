/// Random numbers that are the same on every machine, which those of <random>'s distributions are not.
#pragma once

#include <cstdint>

namespace waywiser::place {

/// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
class Random {
public:
    explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

    std::uint64_t next() noexcept {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }
    /// From 0 to n less 1.
    std::uint32_t below(std::uint64_t n) noexcept { return static_cast<std::uint32_t>(((next() >> 32U) * n) >> 32U); }
    /// From 0 up to 1.
    double fraction() noexcept { return static_cast<double>(next() >> 11U) * 0x1p-53; }

private:
    std::uint64_t state_;
};

}  // namespace waywiser::place
