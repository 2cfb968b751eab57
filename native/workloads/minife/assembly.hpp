/// Finite-element assembly: element matrices summed into the rows that this rank owns.
#pragma once

#include "workloads/minife/csr.hpp"

namespace waywiser::minife {

/// Writes `values` and `right_side` of a matrix with a given structure. Ranks and threads integrate all elements that
/// touch their nodes: one layer is computed twice, which avoids communication and waiting.
/// \return number of elements integrated
Index assemble(const Layout& layout, Csr& matrix);

/// Bytes that assembly writes, each number once. With the structure's 8 rows + 4 entries, this is 340 B per row. At a
/// copy bandwidth of B bytes/s, no set-up on one core can therefore be faster than 340 / B s per row (34 ns at 10
/// GB/s).
[[nodiscard]] constexpr Index assembly_bytes(Index rows, Index entries) { return 8 * (rows + entries); }
[[nodiscard]] Index assembly_flops(Index elements);

}  // namespace waywiser::minife
