/// The frame of every workload's main(): MPI, one message per error, exit codes, the file of samples.
#pragma once

#include "base/json_lines.hpp"
#include "workloads/common/options.hpp"
#include "workloads/common/sample.hpp"

#include <mpi.h>

#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace waywiser {

enum ExitCode { success = 0, unverified = 1, refused = 2 };

struct Ranks {
    MPI_Comm communicator;
    int rank;
    int count;
    double init_s = 0;  ///< duration of MPI_Init
};

using Body = std::function<ExitCode(std::span<const char* const> arguments, const Ranks& ranks)>;

/// Calls `body` between MPI_Init_thread and MPI_Finalize, with argv without the program's name.
///
/// InvalidInput must be thrown on all ranks alike: rank 0 prints its message, and the program ends with `refused`. Any
/// other exception aborts the job.
/// \param thread_level  requested thread level; MPI may provide a lower one
/// \return the exit code of main
int run_program(const std::string& name, int argc, char** argv, const Body& body,
                int thread_level = MPI_THREAD_FUNNELED);

/// Reads the options of `options_of(settings)`, lets `complete(settings)` derive and check the rest, and calls
/// `run(settings, ranks)`; or prints the help on request, with the columns of the program's tables.
/// \return the exit code of main
template <class Settings, class Run>
int run_workload(int argc, char** argv, Run run, const Tables& tables = {}, int thread_level = MPI_THREAD_FUNNELED) {
    Settings settings;
    Options options = options_of(settings);
    bool help = false;
    options.add_flag("help", help, "print this help and exit");
    const auto body = [&](std::span<const char* const> arguments, const Ranks& ranks) -> ExitCode {
        options.parse(arguments);
        complete(settings);
        if (!help) return run(std::as_const(settings), ranks);
        if (ranks.rank == 0) std::fputs((options.help() + waywiser::help(tables)).c_str(), stdout);
        return success;
    };
    return run_program(options.program(), argc, argv, body, thread_level);
}

/// Runs `body` on rank 0. Collective.
/// \throws InvalidInput  on all ranks, if `body` throws InvalidInput
void on_rank_0(const Ranks& ranks, const std::function<void()>& body);

struct FileLine {
    int number;  ///< line number, from 1
    std::string text;
};

/// Lines of a file, read by rank 0, without trailing blanks; empty lines and comments (#) are skipped. Collective.
/// \throws InvalidInput  with `refusal`, on all ranks, if the file cannot be read
[[nodiscard]] std::vector<FileLine> read_lines(const std::string& path, const std::string& refusal, const Ranks& ranks);

/// Opens the file of samples on rank 0 before the computation. The result is empty on other ranks, and without a path.
/// \throws InvalidInput  on all ranks, if the file cannot be written
[[nodiscard]] std::optional<JsonLines> open_samples(const std::string& path, const Ranks& ranks);

/// The largest value of all ranks, on all ranks. The result is infinite if a value is NaN, which MPI_MAX may lose.
[[nodiscard]] double greatest(double value, const Ranks& ranks);

/// The longest of all ranks' times, on all ranks [s].
[[nodiscard]] double slowest_s(double seconds, const Ranks& ranks);

}  // namespace waywiser
