/// Secrets in a command line that `ww-exec` stores. `launch/masking.py` does the same for `waywiser profile`.
#pragma once

#include <cstddef>

namespace waywiser::profile {

constexpr char kMasked[] = "(masked)";

/// The stored form of a word: `masked` replaces what lies between the first `begin` bytes and the text from `end` on.
struct Stored {
    std::size_t begin = 0;
    const char* masked = "";
    const char* end = "";
};

/// The value of a name that looks like a secret's, and user and password of a URL, are masked.
/// \param before  the preceding word, "" for none
[[nodiscard]] Stored masked(const char* before, const char* word);

}  // namespace waywiser::profile
