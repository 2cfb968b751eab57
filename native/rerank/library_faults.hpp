/// Libraries in which some calls fail, identified by version. A trial could itself fail in a program that makes no such
/// call.
#pragma once

namespace waywiser::rerank {

/// MPICH 4.0.2 puts data into the wrong rank's memory on a node, where a communicator's ranks are not in the order of
/// MPI_COMM_WORLD. MPICH 5.0.2 and Intel MPI 2021.18 do not.
[[nodiscard]] bool library_mixes_windows();

/// Open MPI 4.1.4 hangs in the second MPI_Dist_graph_create with reorder = false on one communicator of six ranks
/// (its component treematch of topologies); Open MPI 5.0.11 does not.
[[nodiscard]] bool library_hangs_in_dist_graphs();

}  // namespace waywiser::rerank
