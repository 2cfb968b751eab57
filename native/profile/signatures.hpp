/// Signatures of the process's trace: calls that are alike in all but their times have one number.
#pragma once

#include "trace/recording.hpp"

namespace waywiser::profile {

/// A number for a call: that of its signature, or of a similar one.
struct Signature {
    static constexpr std::uint32_t kNoNumber = ~std::uint32_t{0};

    std::uint32_t number = kNoNumber;       ///< kNoNumber: there is no memory for any
    const state::TraceKey* like = nullptr;  ///< what differs from the call; null: nothing does
};

/// \return whether there is memory for them
[[nodiscard]] bool open_signatures();

[[nodiscard]] std::uint64_t hash_of(const state::TraceKey& key);

[[nodiscard]] bool equal(const state::TraceKey& a, const state::TraceKey& b);

/// The signature of a call. Where the process has as many as are kept, that of the place's first call.
[[nodiscard]] Signature signature_of(const state::TraceKey& key, std::uint64_t hash);

/// \return whether there is memory for lists
[[nodiscard]] bool open_lists();

/// The list with these values; 0 if it is empty, or there is no room for it.
[[nodiscard]] std::uint32_t list_of(const std::int64_t* values, std::uint64_t n);

}  // namespace waywiser::profile
