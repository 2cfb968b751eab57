/// Agreement of the ranks of a communicator on a new order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rerank/declared_graph.hpp"

namespace waywiser::rerank {

/// Functions of the MPI library, past every tool.
struct Calls {
    int (*bcast)(void*, int, Handle, int, Handle) = nullptr;
    int (*gather)(const void*, int, Handle, void*, int, Handle, int, Handle) = nullptr;
    int (*gatherv)(const void*, int, Handle, void*, const int*, const int*, Handle, int, Handle) = nullptr;
    int (*sendrecv)(const void*, int, Handle, int, int, void*, int, Handle, int, int, Handle, void*) = nullptr;
    int (*split)(Handle, int, int, Handle*) = nullptr;
    int (*free)(Handle*) = nullptr;

    /// \return whether the library is known, and has them all
    bool take();
};

/// The reordering that all ranks of the communicator agreed on.
struct Agreement {
    bool known = false;         ///< rank 0 has found the best order; else the call is left to the library
    std::vector<int> old_rank;  ///< by new rank; empty: the old order is the best one
};

/// Collective over `communicator`. Rank 0 reports the outcome of its first call on stderr, or why there is no order.
///
/// \param name      the call
/// \param declared  what the library has made of it with the old order; MPI_COMM_NULL on ranks that are left over
/// \param places    file of the machine
[[nodiscard]] Agreement agree(const Calls& calls, const char* name, Kind kind, Handle communicator, Handle declared,
                              const char* places);

/// The neighbours that the rank of this number declared before.
/// \param own       what this process declared
/// \param permuted  the communicator whose ranks have the new order
[[nodiscard]] Adjacency adjacency_of_new_rank(const Calls& calls, const Adjacency& own, int own_old_rank,
                                              Handle permuted, std::span<const int> old_rank);

/// The place of a rank's old number, its new one.
[[nodiscard]] int new_rank(std::span<const int> old_rank, int old);

enum class Said : std::uint8_t { order, trouble };

/// A sentence on stderr, the first of its kind of this process.
[[gnu::format(printf, 2, 3)]] void say_once(Said kind, const char* format, ...);

}  // namespace waywiser::rerank
