/// Sums of a profile over threads, phases and ranks.
///
/// The profile of 16,384 ranks has a million records: they are summed here, and only the sums become Python objects.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trace/records/profile.hpp"

namespace waywiser::trace {

/// Totals of one function over any threads, phases or ranks.
struct FunctionTotal {
    Load load;
    std::uint64_t pending_calls = 0;
    std::uint64_t pending_ns = 0;
    std::vector<SizeCount> sizes;  ///< in rising order

    void add(const FunctionProfile& function);
    void add(const FunctionTotal& other);
};

using FunctionTotals = std::map<std::string, FunctionTotal, std::less<>>;

struct RankTime {
    std::int64_t rank = -1;  ///< -1: no rank
    std::uint64_t ns = 0;
};

/// The ranks with the least and the most time; the lowest rank if several are equal.
struct Spread {
    RankTime least;
    RankTime most;
    std::uint64_t ranks = 0;

    void add(RankTime time);
};

struct JobFunction {
    FunctionTotal total;
    Spread spread;  ///< spread of its time, with the barriers before it, over the ranks that called it
};

struct PhaseTotal {
    std::uint64_t entries = 0;  ///< entries of the rank with the most
    std::uint64_t ns = 0;
    Spread spread;
    FunctionTotals functions;
};

/// A function on one communicator.
struct CollectiveTotal {
    Load load;
    std::set<std::int64_t> roots;  ///< roots as ranks of the communicator
    bool other_roots = false;      ///< there were more roots than are distinguished
};

/// A function called from one call site.
struct CallSiteTotal {
    Load load;
    Spread spread;
};

/// Communicator or call site, as an index into the profile's table, and function.
using Place = std::pair<std::uint64_t, std::string>;

/// Threads that do nothing but make communication progress.
struct ProgressTotal {
    std::uint64_t ranks = 0;
    std::uint64_t threads = 0;
    std::uint64_t ns = 0;
};

struct JobTotals {
    std::map<std::string, JobFunction> functions;
    std::map<std::int64_t, PhaseTotal> phases;
    std::map<Place, CollectiveTotal> collectives;
    std::map<Place, CallSiteTotal> call_sites;
    ProgressTotal progress;
};

/// MPI time of one rank, without MPI_Init and MPI_Finalize.
struct MpiTime {
    std::uint64_t ns = 0;       ///< time in MPI, including barriers of --split-sync
    std::uint64_t sync_ns = 0;  ///< in the barriers of --split-sync
    ProgressTotal progress;
    std::size_t threads = 0;  ///< threads that called MPI
};

/// Source, destination, amount; in rising order.
using Triples = std::vector<std::array<std::uint64_t, 3>>;

struct Traffic {
    Triples bytes;
    Triples messages;
};

/// True if a thread only makes progress. At least 99 % of such a thread's calls are polls, and it spends at least 80 %
/// of its life in MPI.
[[nodiscard]] bool makes_progress(const ThreadProfile& thread);

/// Time in MPI functions that are not reported separately.
[[nodiscard]] MpiTime mpi_time(const ThreadProfile& thread);
[[nodiscard]] MpiTime mpi_time(const RankProfile& rank);

[[nodiscard]] FunctionTotals function_totals(const ThreadProfile& thread);
[[nodiscard]] FunctionTotals function_totals(const RankProfile& rank);

[[nodiscard]] JobTotals job_totals(const Profile& profile);

[[nodiscard]] Traffic point_to_point(const Profile& profile);

}  // namespace waywiser::trace
