/// The loops of a sequence of calls: a tree that is equal for all runs of a program, except for its counts.
///
/// Source: M. Noeth, P. Ratn, F. Mueller, M. Schulz, B. R. de Supinski, "ScalaTrace: scalable compression and replay of
/// communication traces for high-performance computing", Journal of Parallel and Distributed Computing 69(8), 2009.
/// Nested repetitions are found from the inside. The fold in trace/encoding/fold.hpp handles any sequence and shares
/// parts between places; here each part belongs to one place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace waywiser::extrapolate {

/// A symbol, or a sequence that is repeated.
struct Part {
    std::uint32_t symbol = 0;
    std::uint64_t count = 1;  ///< more than 1: repetitions of `body`
    std::vector<Part> body;   ///< body of a loop; otherwise empty
    std::uint64_t hash = 0;

    [[nodiscard]] bool is_loop() const { return !body.empty(); }
};

[[nodiscard]] std::vector<Part> loops_of(std::span<const std::uint32_t> symbols);

/// Converts the parts to the structure of others that differ only in counts: a single occurrence becomes a loop where
/// the others have a loop.
/// \return none if the structures differ
[[nodiscard]] std::optional<std::vector<Part>> alike(const std::vector<Part>& parts, const std::vector<Part>& others);

}  // namespace waywiser::extrapolate
