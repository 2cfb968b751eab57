#include "workloads/common/program.hpp"

#include "base/error.hpp"
#include "workloads/common/stopwatch.hpp"
#include "workloads/common/variants.hpp"
#include "workloads/common/version.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <limits>
#include <sstream>

namespace waywiser {

int run_program(const std::string& name, int argc, char** argv, const Body& body, int thread_level) {
    int provided = MPI_THREAD_SINGLE;
    // By default, Open MPI protects shared file pointers, which no workload uses, by a semaphore that is named after
    // the file. A run that is killed while it opens a file leaves the semaphore locked, and every later run with that
    // file name would wait.
    setenv("OMPI_MCA_sharedfp", "individual", 0);
    Stopwatch watch;
    MPI_Init_thread(&argc, &argv, thread_level, &provided);
    Ranks ranks{MPI_COMM_WORLD, 0, 1, watch.lap_s()};
    MPI_Comm_rank(ranks.communicator, &ranks.rank);
    MPI_Comm_size(ranks.communicator, &ranks.count);
    ExitCode code = success;
    try {
        const std::span<const char* const> arguments{argv + 1, static_cast<std::size_t>(argc - 1)};
        if (!asks_version(arguments)) {
            code = body(arguments, ranks);
        } else if (ranks.rank == 0) {
            std::fputs(version_text(name.c_str()).c_str(), stdout);
        }
    } catch (const InvalidInput& error) {
        if (ranks.rank == 0) std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
        code = refused;
    } catch (const std::exception& error) {  // for example out of memory: the other ranks wait for this rank
        std::fprintf(stderr, "%s: rank %d: %s\n", name.c_str(), ranks.rank, error.what());
        MPI_Abort(ranks.communicator, unverified);
    }
    MPI_Finalize();
    return code;
}

void on_rank_0(const Ranks& ranks, const std::function<void()>& body) {
    std::string refusal;
    try {
        if (ranks.rank == 0) body();
    } catch (const InvalidInput& error) {
        refusal = error.what();
    }
    refusal = from_rank_0(refusal, ranks.communicator);
    require(refusal.empty(), refusal);
}

std::vector<FileLine> read_lines(const std::string& path, const std::string& refusal, const Ranks& ranks) {
    std::ostringstream all;
    on_rank_0(ranks, [&] {
        const std::ifstream file(path);
        require(file.is_open(), refusal);
        all << file.rdbuf();
    });
    std::istringstream lines(from_rank_0(all.str(), ranks.communicator));
    constexpr const char* blanks = " \t\r";
    std::vector<FileLine> file_lines;
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        const std::size_t first = line.find_first_not_of(blanks);
        if (first == std::string::npos || line[first] == '#') continue;
        file_lines.push_back({number, line.substr(first, line.find_last_not_of(blanks) + 1 - first)});
    }
    return file_lines;
}

std::optional<JsonLines> open_samples(const std::string& path, const Ranks& ranks) {
    std::optional<JsonLines> lines;
    on_rank_0(ranks, [&] {
        if (!path.empty()) lines.emplace(path);
    });
    return lines;
}

double greatest(double value, const Ranks& ranks) {
    if (std::isnan(value)) value = std::numeric_limits<double>::infinity();
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, ranks.communicator);
    return value;
}

double slowest_s(double seconds, const Ranks& ranks) { return greatest(seconds, ranks); }

}  // namespace waywiser
