/// Hashes of 64 bits, and random numbers that are the same on every machine.
#pragma once

#include <cstdint>

namespace waywiser {

/// 2^64 over the golden ratio. The upper bits of a product with it are mixed best (D. Knuth, "The Art of Computer
/// Programming", vol. 3, section 6.4: Fibonacci hashing); repeated addition visits every number (SplitMix64).
inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;

/// The finaliser of SplitMix64: every bit of the result depends on every bit of the value.
/// Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
[[nodiscard]] constexpr std::uint64_t splitmix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

/// Offset basis and prime of FNV-1a, over bytes or whole integers (G. Fowler, L. Noll, K.-P. Vo, draft-eastlake-fnv).
inline constexpr std::uint64_t kFnvStart = 0xcbf29ce484222325U;
[[nodiscard]] constexpr std::uint64_t fnv1a(std::uint64_t hash, std::uint64_t word) {
    return (hash ^ word) * 0x100000001b3U;
}

}  // namespace waywiser
