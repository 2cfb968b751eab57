/// Which algorithm an MPI library runs by itself: its decision rules, by the size of the communicator, by bytes,
/// and by whether the operation commutes.
///
/// | library  | of                                                     | state                              |
/// |----------|--------------------------------------------------------|------------------------------------|
/// | Open MPI | coll/tuned's fixed decisions, coll/basic, coll/libnbc  | 5.0 (branch v5.0.x, b962e8a65c07)  |
/// | MPICH    | the MPIR layer's tuning table, maint/tuning/coll/mpir  | 5.0 (branch 5.0.x)                 |
///
/// The rules are for communicators without hierarchy. Where several nodes of several ranks each meet, Open MPI
/// (coll/han) and MPICH (compositions of its device ch4) put a collective together from one inside the nodes
/// and one between them: those are not here.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "collectives/schedule.hpp"

namespace waywiser::collectives {

enum class Library { open_mpi, mpich };

/// \throws InvalidInput  if there are no rules of that name; says of which there are
[[nodiscard]] Library library_named(std::string_view name);

/// Whose rules a library follows, by the words in which it names itself; Intel MPI's own are not published, and it
/// is a descendant of MPICH.
/// \return none if that is not known
[[nodiscard]] std::optional<Library> rules_of(std::string_view library);

/// An algorithm on its operation, segments and fan-out included.
struct Stage {
    const Algorithm* algorithm = nullptr;
    Operation operation{};
    bool exact = true;  ///< false: the library has one of its own here, which this one stands for
};

/// What the library does, one stage after the other: none on one rank, more than one where a collective is
/// made of others, each of which is selected by the library's own rules.
/// \param op  with `shares` for the v-variants and MPI_Reduce_scatter, without for MPI_Reduce_scatter_block
[[nodiscard]] std::vector<Stage> select(Library library, Collective collective, const Operation& op,
                                        bool nonblocking = false);

/// Whether ranks know different lengths of the operation: what some have for it is then no reason to choose by.
/// \param name  "Gatherv", as in calls.hpp
[[nodiscard]] bool lengths_differ(Collective collective, std::string_view name, const Operation& op);

/// What a call is played as, alike on all ranks: by the library's rules, or where these are not known as the first
/// algorithm of the table that supports it.
[[nodiscard]] std::vector<Stage> stages_of(std::optional<Library> rules, Collective collective, std::string_view name,
                                           const Operation& op, bool nonblocking);

/// A step in bytes, of one stage or another.
struct Move {
    int round = 0;
    int to = kNobody;
    std::uint64_t sent_bytes = 0;
    int from = kNobody;
    std::uint64_t received_bytes = 0;
    bool combines = false;
};

/// What one rank does in all stages; their rounds follow one another.
[[nodiscard]] std::vector<Move> moves(std::span<const Stage> stages, int rank);

/// For the rules of one library: the algorithm of that name, or the first that serves in its place.
[[nodiscard]] Stage stage(Collective collective, std::string_view name, const Operation& op);

[[nodiscard]] std::vector<Stage> select_open_mpi(Collective collective, const Operation& op);
[[nodiscard]] std::vector<Stage> select_libnbc(Collective collective, const Operation& op);
[[nodiscard]] std::vector<Stage> select_mpich(Collective collective, const Operation& op, bool nonblocking);

}  // namespace waywiser::collectives
