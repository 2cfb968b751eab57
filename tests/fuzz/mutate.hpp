/// Damage to profiles and states that keeps to their structure, so that it gets past checksums and magics.
#pragma once

#include <random>
#include <string>

namespace waywiser::fuzz {

using Chance = std::mt19937_64;

[[nodiscard]] std::size_t below(Chance& chance, std::size_t n);

/// A profile.ww or trace.ww: blocks dropped, repeated, exchanged and their payloads damaged, with checksums that
/// are right in all but a few.
[[nodiscard]] std::string mutate_blocks(const std::string& bytes, Chance& chance);

/// A calls file of a trace: buffers damaged, with checksums that are right in all but a few.
[[nodiscard]] std::string mutate_calls(const std::string& bytes, Chance& chance);

/// A live state: words of the header and of the records, lengths, kinds, cuts.
[[nodiscard]] std::string mutate_state(const std::string& bytes, Chance& chance);

}  // namespace waywiser::fuzz
