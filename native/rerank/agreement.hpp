/// Agreement of the ranks of a communicator on a new order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rerank/declared_graph.hpp"

namespace waywiser::rerank {

/// Functions of the MPI library, which bypass every tool.
struct Calls {
    int (*bcast)(void*, int, Handle, int, Handle) = nullptr;
    int (*gather)(const void*, int, Handle, void*, int, Handle, int, Handle) = nullptr;
    int (*gatherv)(const void*, int, Handle, void*, const int*, const int*, Handle, int, Handle) = nullptr;
    int (*sendrecv)(const void*, int, Handle, int, int, void*, int, Handle, int, int, Handle, void*) = nullptr;
    int (*split)(Handle, int, int, Handle*) = nullptr;
    int (*free)(Handle*) = nullptr;

    /// \return true if the library is known and has all of them
    bool take();
};

/// The reordering that all ranks of the communicator agreed on.
struct Agreement {
    bool known = false;         ///< rank 0 has found the best order; otherwise the library executes the call
    std::vector<int> old_rank;  ///< indexed by new rank; empty: the old order is the best one
};

/// Collective over `communicator`. Rank 0 reports the outcome of its first call on stderr, or why there is no order.
///
/// \param name      name of the call
/// \param declared  communicator that the library made with the old order; MPI_COMM_NULL on ranks outside it
/// \param places    file with the machine's topology
[[nodiscard]] Agreement agree(const Calls& calls, const char* name, Kind kind, Handle communicator, Handle declared,
                              const char* places);

/// The neighbours that this process's new rank had declared in the old order.
/// \param own       neighbours that this process declared
/// \param permuted  the communicator whose ranks have the new order
[[nodiscard]] Adjacency adjacency_of_new_rank(const Calls& calls, const Adjacency& own, int own_old_rank,
                                              Handle permuted, std::span<const int> old_rank);

/// The new rank for an old one.
[[nodiscard]] int new_rank(std::span<const int> old_rank, int old);

enum class Notice : std::uint8_t { order, trouble };

/// Prints a sentence on stderr if it is the process's first of its kind.
[[gnu::format(printf, 2, 3)]] void say_once(Notice kind, const char* format, ...);

}  // namespace waywiser::rerank
