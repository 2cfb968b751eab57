/// The loops of a sequence of calls: a tree that is the same for runs of the same program, but for its counts.
///
/// Source: M. Noeth, P. Ratn, F. Mueller, M. Schulz, B. R. de Supinski, "ScalaTrace: scalable compression and replay of
/// communication traces for high-performance computing", Journal of Parallel and Distributed Computing 69(8), 2009. Its
/// repetitions of repetitions are found from the inside. The fold in trace/encoding/fold.hpp is for any sequence, and
/// shares parts between places; here a part belongs to its place.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace waywiser::extrapolate {

/// A symbol, or a sequence that comes several times in a row.
struct Part {
    std::uint32_t symbol = 0;
    std::uint64_t count = 1;  ///< more than 1: of `body`
    std::vector<Part> body;   ///< of a loop; else empty
    std::uint64_t hash = 0;

    [[nodiscard]] bool is_loop() const { return !body.empty(); }
};

[[nodiscard]] std::vector<Part> loops_of(std::span<const std::uint32_t> symbols);

/// The parts as others that differ in counts alone: what is there once is a loop where the others have a loop of it.
/// \return nothing if that does not make them alike
[[nodiscard]] std::optional<std::vector<Part>> alike(const std::vector<Part>& parts, const std::vector<Part>& others);

}  // namespace waywiser::extrapolate
