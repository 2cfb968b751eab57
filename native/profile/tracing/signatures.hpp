/// Signatures of the process's trace: calls that differ only in their times share one number.
#pragma once

#include "base/hash.hpp"
#include "trace/records/recording.hpp"

namespace waywiser::profile {

/// The signature of a call, or a similar one.
struct Signature {
    static constexpr std::uint32_t kNoNumber = ~std::uint32_t{0};

    std::uint32_t number = kNoNumber;  ///< kNoNumber: no memory is left
    /// the signature's key, if it differs from the call's; null: they are equal
    const state::TraceKey* like = nullptr;
};

/// \return true if there is memory for signatures
[[nodiscard]] bool open_signatures();

inline constexpr std::size_t kKeyWords = sizeof(state::TraceKey) / sizeof(std::uint64_t);

/// Multilinear hashing: D. Lemire, O. Kaser, "Strongly universal string hashing is fast", The Computer
/// Journal 57(11), 2014; with fixed multipliers.
[[nodiscard]] inline std::uint64_t hash_of_words(const std::uint64_t (&words)[kKeyWords]) {
    std::uint64_t sum = 0;
    std::uint64_t odd = kGolden;
    for (const std::uint64_t word : words) {
        sum += word * odd;
        odd += 0x3c6ef372fe94f82aU;
    }
    return sum ^ sum >> 32U ^ sum << 32U;
}

[[nodiscard]] std::uint64_t hash_of(const state::TraceKey& key);

/// The signature of a call. If the process has reached the limit of signatures, the signature of its call site's first
/// call.
[[nodiscard]] Signature signature_of(const state::TraceKey& key, std::uint64_t hash);

/// \return true if there is memory for lists
[[nodiscard]] bool open_lists();

/// The list with these values; 0 if it is empty, or no room is left.
[[nodiscard]] std::uint32_t list_of(const std::int64_t* values, std::uint64_t n);

/// Copies as many of a list's values as fit. \return the list's length
std::uint64_t read_list(std::uint32_t list, std::int64_t* values, std::uint64_t room);

}  // namespace waywiser::profile
