#include "trace/reading/totals.hpp"

#include <algorithm>
#include <string_view>

#include "trace/records/load_fields.hpp"

namespace waywiser::trace {
namespace {

constexpr double kProgressCalls = 0.99;
constexpr double kProgressTime = 0.8;
// Time per poll outside MPI, spent in the profiler and in the program's loop: 55 ns were measured in ww-rupture, whose
// communication thread polled continuously, 12 million times a second.
constexpr double kPollNs = 50;

/// True for functions whose time is reported separately.
bool outside_mpi_time(std::string_view function) {
    constexpr std::array names{"MPI_Init", "MPI_Init_thread", "MPI_Session_init", "MPI_Finalize",
                               "MPI_Session_finalize"};
    return std::ranges::find(names, function) != names.end();
}

bool polls(std::string_view function) {
    constexpr std::array names{"MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Iprobe", "MPI_Improbe"};
    return std::ranges::find(names, function) != names.end();
}

void add(const Load& load, Load& sum) {
    for (const LoadField& part : kLoadFields) {
        std::uint64_t& total = sum.*part.value;
        total = part.merging == Merging::most ? std::max(total, load.*part.value) : total + load.*part.value;
    }
}

std::uint64_t whole_ns(const Load& load) { return load.ns + load.sync_ns; }

void add(const ThreadProfile& thread, FunctionTotals& totals) {
    for (const FunctionProfile& function : thread.functions) totals[function.name].add(function);
}

void add(const RankProfile& rank, const FunctionTotals& functions, JobTotals& totals) {
    for (const auto& [name, function] : functions) {
        JobFunction& sum = totals.functions[name];
        sum.total.add(function);
        sum.spread.add({.rank = rank.rank, .ns = whole_ns(function.load)});
    }
}

void add_phases(const RankProfile& rank, JobTotals& totals) {
    for (const auto& [phase, entries, ns] : rank.phases) {
        PhaseTotal& sum = totals.phases[phase];
        sum.entries = std::max(sum.entries, entries);
        sum.ns += ns;
        sum.spread.add({.rank = rank.rank, .ns = ns});
    }
    for (const ThreadProfile& thread : rank.threads) {
        for (const FunctionProfile& function : thread.functions) {
            totals.phases[function.phase].functions[function.name].add(function);
        }
    }
}

void add_collectives(const RankProfile& rank, JobTotals& totals) {
    for (const CollectiveProfile& collective : rank.collectives) {
        CollectiveTotal& sum = totals.collectives[{collective.communicator, collective.function}];
        add(collective.load, sum.load);
        if (collective.root >= 0) sum.roots.insert(collective.root);
        if (collective.root < -1) sum.other_roots = true;
    }
}

void add_call_sites(const RankProfile& rank, JobTotals& totals) {
    std::map<Place, Load> own;
    for (const CallSiteProfile& site : rank.call_sites) add(site.load, own[{site.site, site.function}]);
    for (const auto& [place, load] : own) {
        CallSiteTotal& sum = totals.call_sites[place];
        add(load, sum.load);
        sum.spread.add({.rank = rank.rank, .ns = whole_ns(load)});
    }
}

void add_progress(const RankProfile& rank, ProgressTotal& sum) {
    const ProgressTotal own = mpi_time(rank).progress;
    sum.ranks += own.ranks;
    sum.threads += own.threads;
    sum.ns += own.ns;
}

}  // namespace

void FunctionTotal::add(const FunctionProfile& function) {
    add(FunctionTotal{.load = function.load,
                      .pending_calls = function.pending_calls,
                      .pending_ns = function.pending_ns,
                      .sizes = function.sizes});
}

void FunctionTotal::add(const FunctionTotal& other) {
    trace::add(other.load, load);
    pending_calls += other.pending_calls;
    pending_ns += other.pending_ns;
    for (const SizeCount& size : other.sizes) {
        auto at = std::ranges::lower_bound(sizes, size.upper_bound_bytes, {}, &SizeCount::upper_bound_bytes);
        if (at == sizes.end() || at->upper_bound_bytes != size.upper_bound_bytes) {
            sizes.insert(at, size);
        } else {
            at->calls += size.calls;
            at->ns += size.ns;
        }
    }
}

void Spread::add(RankTime time) {
    if (ranks == 0 || time.ns < least.ns) least = time;
    if (ranks == 0 || time.ns > most.ns) most = time;
    ranks += 1;
}

bool makes_progress(const ThreadProfile& thread) {
    std::uint64_t calls = 0;
    std::uint64_t polling = 0;
    std::uint64_t ns = 0;
    for (const FunctionProfile& function : thread.functions) {
        calls += function.load.calls;
        if (polls(function.name)) polling += function.load.calls;
        ns += whole_ns(function.load);
    }
    return calls > 0 && static_cast<double>(polling) >= kProgressCalls * static_cast<double>(calls) &&
           static_cast<double>(ns) + kPollNs * static_cast<double>(polling) >=
               kProgressTime * static_cast<double>(thread.ns);
}

MpiTime mpi_time(const ThreadProfile& thread) {
    MpiTime time;
    if (thread.functions.empty()) return time;
    time.threads = 1;
    for (const FunctionProfile& function : thread.functions) {
        if (outside_mpi_time(function.name)) continue;
        time.ns += whole_ns(function.load);
        time.sync_ns += function.load.sync_ns;
    }
    if (makes_progress(thread)) time.progress = {.ranks = 1, .threads = 1, .ns = time.ns};
    return time;
}

MpiTime mpi_time(const RankProfile& rank) {
    MpiTime sum;
    for (const ThreadProfile& thread : rank.threads) {
        const MpiTime own = mpi_time(thread);
        sum.ns += own.ns;
        sum.sync_ns += own.sync_ns;
        sum.threads += own.threads;
        sum.progress.threads += own.progress.threads;
        sum.progress.ns += own.progress.ns;
    }
    sum.progress.ranks = sum.progress.threads > 0 ? 1 : 0;
    return sum;
}

FunctionTotals function_totals(const ThreadProfile& thread) {
    FunctionTotals totals;
    add(thread, totals);
    return totals;
}

FunctionTotals function_totals(const RankProfile& rank) {
    FunctionTotals totals;
    for (const ThreadProfile& thread : rank.threads) add(thread, totals);
    return totals;
}

JobTotals job_totals(const Profile& profile) {
    JobTotals totals;
    for (const RankProfile& rank : profile.ranks) {
        add(rank, function_totals(rank), totals);
        add_phases(rank, totals);
        add_collectives(rank, totals);
        add_call_sites(rank, totals);
        add_progress(rank, totals.progress);
    }
    return totals;
}

Traffic point_to_point(const Profile& profile) {
    Traffic sent;
    for (const RankProfile& rank : profile.ranks) {
        for (const Message& message : rank.messages) {
            if (message.messages == 0) continue;
            const auto from = static_cast<std::uint64_t>(rank.rank);
            const auto to = static_cast<std::uint64_t>(message.destination);
            sent.bytes.push_back({from, to, message.bytes});
            sent.messages.push_back({from, to, message.messages});
        }
    }
    std::ranges::sort(sent.bytes);
    std::ranges::sort(sent.messages);
    return sent;
}

}  // namespace waywiser::trace
