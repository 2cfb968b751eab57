/// The mixing function of splitmix64, of which numbers are made that depend on nothing but what they are asked for.
///
/// Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
#pragma once

#include <cstdint>

namespace waywiser {

/// From a number of a sequence to the next.
inline constexpr std::uint64_t splitmix_increment = 0x9e3779b97f4a7c15;

[[nodiscard]] inline std::uint64_t splitmix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
    return z ^ (z >> 31U);
}

}  // namespace waywiser
