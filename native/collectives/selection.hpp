/// Selects the algorithm that an MPI library runs by default: its decision rules, by the size of the communicator, by
/// bytes, and by whether the operation commutes.
///
/// | library  | of                                                     | state                              |
/// |----------|--------------------------------------------------------|------------------------------------|
/// | Open MPI | coll/han and coll/tuned's fixed decisions, coll/basic, | 5.0 (branch v5.0.x, b962e8a65c07)  |
/// |          | coll/libnbc                                            |                                    |
/// | MPICH    | the MPIR layer's tuning table, maint/tuning/coll/mpir  | 5.0 (branch 5.0.x)                 |
///
/// On several nodes with several ranks each, MPICH (compositions of its device ch4) combines a collective inside the
/// nodes with one between them. These compositions are not implemented here.
#pragma once

#include <optional>
#include <string_view>

#include "collectives/stages.hpp"

namespace waywiser::collectives {

enum class Library {
    open_mpi,
    open_mpi_4,  ///< ignores nodes
    mpich,
};

/// \throws InvalidInput  if there are no rules of that name; the message lists the names
[[nodiscard]] Library library_named(std::string_view name);

/// Rules that a library follows, by its version text. Intel MPI counts as MPICH, from which it derives: its own rules
/// are not published.
/// \return none if the library is unknown
[[nodiscard]] std::optional<Library> rules_of(std::string_view library);

/// The library's selection: no stage on one rank, several if a collective is made of others, each of which is selected
/// by the library's own rules.
/// \param op  with its nodes if they are known; with `shares` for the v-variants and MPI_Reduce_scatter, without for
/// MPI_Reduce_scatter_block
[[nodiscard]] Stages select(Library library, Collective collective, const Operation& op, bool nonblocking = false);

/// True if ranks know different lengths of the operation, so that its selection cannot depend on them.
/// \param name  "Gatherv", as in calls.hpp
[[nodiscard]] bool lengths_differ(Collective collective, std::string_view name, const Operation& op);

/// The stages that simulate a call, the same on all ranks: they follow the library's rules. If the rules are unknown,
/// the first algorithm of the table that supports the call is used.
[[nodiscard]] Stages stages_of(std::optional<Library> rules, Collective collective, std::string_view name,
                               const Operation& op, bool nonblocking);

[[nodiscard]] Stages select_open_mpi(Collective collective, const Operation& op);
[[nodiscard]] Stages select_libnbc(Collective collective, const Operation& op);
[[nodiscard]] Stages select_mpich(Collective collective, const Operation& op, bool nonblocking);

}  // namespace waywiser::collectives
