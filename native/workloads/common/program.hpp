/// What the main functions of the kernels share: ranks, exit codes, the file of samples.
#pragma once

#include "base/json_lines.hpp"

#include <mpi.h>

#include <optional>
#include <span>
#include <string>

namespace waywiser {

enum ExitCode { success = 0, unverified = 1, refused = 2 };

struct Ranks {
    MPI_Comm communicator;
    int rank;
    int count;
};

using Arguments = std::span<const char* const>;

/// Starts MPI, runs `body` and ends MPI.
///
/// An InvalidInput must be thrown by all ranks alike: rank 0 says why, and the exit code is `refused`. After any other
/// exception the job is aborted, since others wait for this rank.
///
/// \param body  gets argv without the program's name
/// \returns main's exit code
int run_program(const char* name, int argc, char** argv, ExitCode (*body)(Arguments, const Ranks&));

/// Rank 0 opens the file and tells the others whether to go on. Nothing on other ranks, or where no file is wanted.
/// \throws InvalidInput  on all ranks
[[nodiscard]] std::optional<JsonLines> open_json(const std::string& file, const Ranks& ranks);

/// "" or a line for rank 0's summary: threads that have to share CPUs on some rank, as launchers bind them by default.
[[nodiscard]] std::string shared_cpus_remark(const Ranks& ranks);

}  // namespace waywiser
