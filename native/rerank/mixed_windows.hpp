/// A library in whose windows ranks are mixed up.
#pragma once

namespace waywiser::rerank {

/// MPICH 4.0.2 puts data into the wrong rank's memory on a node, where a communicator's ranks are not in the order of
/// MPI_COMM_WORLD; MPICH 5.0.2 and Intel MPI 2021.18 do not.
[[nodiscard]] bool library_mixes_windows();

}  // namespace waywiser::rerank
