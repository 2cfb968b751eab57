#include "explain/window_profile.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "mpi/calls.hpp"
#include "mpi/groups.hpp"
#include "trace/records/state.hpp"

namespace waywiser::explain {
namespace {

using trace::Action;
using trace::Parameters;
using trace::Profile;
using trace::RankProfile;
using trace::TraceObject;

void add(trace::Load& load, std::uint64_t calls, std::uint64_t ns, std::uint64_t bytes, std::uint64_t posted) {
    load.calls += calls;
    load.ns += ns;
    load.bytes += bytes;
    load.receive_bytes += posted;
}

/// Sums of one rank while its streams are read.
class RankSums {
public:
    RankSums(const trace::TraceJob& job, const mpi::Groups& groups, const trace::TraceRank& rank)
        : job_(job), groups_(groups), rank_(rank) {}

    void begin_thread() { threads_.emplace_back(); }

    void prepare(const Parameters& call) {
        if (call.request < 0) return;
        prepared_[call.request] = mpi::description_of(call);
    }

    void count(const trace::TracedCall& times, const Parameters& call) {
        const bool prepares = is_preparation(call.action);
        const std::uint64_t bytes = prepares ? 0 : call.bytes;
        const std::uint64_t posted = prepares ? 0 : call.posted;
        const std::uint64_t ns = times.times > 1 ? times.polling_ns : times.end_ns - times.begin_ns;
        trace::FunctionProfile& function = threads_.back()[call.function];
        add(function.load, times.times, ns, bytes, posted);
        // For a run of polls, only the mean is known.
        function.load.max_ns = std::max(function.load.max_ns, ns / times.times);
        if (!call.found) {
            function.pending_calls += times.times;
            function.pending_ns += ns;
        }
        auto& [calls, in_bin_ns] = bins_[{threads_.size(), call.function, bin(bytes, posted)}];
        calls += times.times;
        in_bin_ns += ns;
        if (call.site != 0) {
            trace::Load& site = sites_[{call.site - 1, call.function}];
            add(site, times.times, ns, bytes, posted);
            site.max_ns = std::max(site.max_ns, function.load.max_ns);
        }
        count_traffic(call, ns);
    }

    void take(RankProfile& rank, std::map<std::uint32_t, std::uint64_t>& communicators) {
        for (auto& functions : threads_) {
            trace::ThreadProfile& thread = rank.threads.emplace_back();
            for (auto& [number, function] : functions) {
                function.name = job_.functions[number];
                function.sizes = sizes(rank.threads.size(), number);
                thread.functions.push_back(std::move(function));
            }
            std::ranges::sort(thread.functions, {}, &trace::FunctionProfile::name);
        }
        for (const auto& [destination, message] : messages_) rank.messages.push_back(message);
        for (const auto& [place, load] : sites_) {
            rank.call_sites.push_back({.site = place.first, .function = job_.functions[place.second], .load = load});
        }
        for (const auto& [place, load] : collectives_) {
            const auto& [object, function, root] = place;
            const std::uint64_t number = communicators.try_emplace(object, communicators.size()).first->second;
            rank.collectives.push_back(
                {.communicator = number, .function = job_.functions[function], .root = root, .load = load});
        }
    }

    static bool is_preparation(Action action) {
        return action == Action::prepare_send || action == Action::prepare_receive ||
               action == Action::prepare_collective;
    }

private:
    static unsigned bin(std::uint64_t bytes, std::uint64_t posted) {
        return state::bin_of(bytes != 0 ? bytes : posted);
    }

    std::vector<trace::SizeCount> sizes(std::size_t thread, std::uint32_t function) const {
        std::vector<trace::SizeCount> counts;
        for (auto at = bins_.lower_bound({thread, function, 0}); at != bins_.end(); ++at) {
            const auto& [of_thread, of_function, number] = at->first;
            if (of_thread != thread || of_function != function) break;
            counts.push_back({.upper_bound_bytes = state::upper_bound_bytes(number),
                              .calls = at->second.first,
                              .ns = at->second.second});
        }
        return counts;
    }

    void count_traffic(const Parameters& call, std::uint64_t ns) {
        switch (call.action) {
            case Action::send:
            case Action::send_receive: return count_message(call.object, call.peer, call.bytes);
            case Action::collective: return count_collective(mpi::description_of(call), ns);
            case Action::start:
                for (const std::int32_t request : call.requests) {
                    const auto prepared = prepared_.find(request);
                    if (prepared == prepared_.end()) continue;
                    const mpi::Description& description = prepared->second;
                    if (description.action == Action::prepare_send)
                        count_message(description.object, description.peer, description.bytes);
                    // The times of several requests that start together are not known individually.
                    if (description.action == Action::prepare_collective)
                        count_collective(description, call.requests.size() == 1 ? ns : 0);
                }
                return;
            default: return;
        }
    }

    trace::Message* message_to(std::int32_t object, std::int32_t peer) {
        const std::uint32_t* over = mpi::numbered(rank_.objects, object);
        const std::int64_t to = over == nullptr ? trace::kUnknown : groups_.world_rank(*over, peer);
        if (to < 0) return nullptr;
        trace::Message& message = messages_[to];
        message.destination = to;
        return &message;
    }

    void count_message(std::int32_t object, std::int32_t peer, std::uint64_t bytes) {
        trace::Message* message = message_to(object, peer);
        if (message == nullptr) return;
        message->bytes += bytes;
        ++message->messages;
    }

    void count_collective(const mpi::Description& call, std::uint64_t ns) {
        const std::uint32_t* over = mpi::numbered(rank_.objects, call.object);
        if (over == nullptr) return;
        const std::int64_t root = call.peer >= 0 ? call.peer : call.peer == trace::kOwnGroup ? -3 : -1;
        add(collectives_[{*over, call.function, root}], 1, ns, call.bytes, call.posted);
        // Counts of a neighbourhood collective are by neighbour, not by rank.
        const bool of_ranks = mpi::call_role(job_.functions[call.function]).role != mpi::Role::neighbours;
        if (!of_ranks || call.counts.size() != static_cast<std::uint64_t>(job_.objects[*over].size)) return;
        for (std::size_t to = 0; to < call.counts.size(); ++to) {
            if (call.counts[to] == 0) continue;
            trace::Message* message = message_to(call.object, static_cast<std::int32_t>(to));
            if (message == nullptr || message->destination == rank_.rank) continue;
            message->collective_bytes += call.counts[to];
            ++message->collective_messages;
        }
    }

    const trace::TraceJob& job_;
    const mpi::Groups& groups_;
    const trace::TraceRank& rank_;
    std::vector<std::map<std::uint32_t, trace::FunctionProfile>> threads_;
    std::map<std::tuple<std::size_t, std::uint32_t, unsigned>, std::pair<std::uint64_t, std::uint64_t>> bins_;
    std::map<std::int32_t, mpi::Description> prepared_;
    std::map<std::int64_t, trace::Message> messages_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, trace::Load> sites_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>, trace::Load> collectives_;
};

/// A rank's time in the window.
std::uint64_t time_in(const trace::TraceRank& rank, const TimeWindow& window) {
    const std::uint64_t begin = std::max(rank.begin_ns, window.begin_ns);
    const std::uint64_t end = std::min(rank.end_ns, window.end_ns);
    return end > begin ? end - begin : 0;
}

/// The rank's profile without its calls.
RankProfile conditions_of(const RankProfile& whole, std::uint64_t wall_ns) {
    RankProfile rank;
    rank.rank = whole.rank;
    rank.pid = whole.pid;
    rank.ending = whole.ending;
    rank.inside = whole.inside;
    rank.host = whole.host;
    rank.cpus = whole.cpus;
    rank.not_counted = whole.not_counted;
    const std::uint64_t whole_ns = whole.at<"wall_ns">();
    const std::uint64_t ns = std::min(wall_ns, whole_ns);
    const double share = whole_ns == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(whole_ns);
    static_cast<trace::Values<trace::kRankFields>&>(rank) = whole.in_window(share);
    rank.at<"wall_ns">() = ns;
    return rank;
}

/// Adds the call's time to the same fields as a profile of the whole run.
void add_outside_time(const Parameters& call, const trace::TracedCall& times, RankProfile& rank) {
    if (call.action == Action::initialise) rank.at<"init_ns">() += times.end_ns - times.begin_ns;
    if (call.action == Action::finalise) rank.at<"finalize_ns">() += times.end_ns - times.begin_ns;
}

}  // namespace

Profile profile_of(const trace::TraceFile& trace, const TimeWindow& window, const Profile& whole) {
    const trace::TraceJob& job = trace.job();
    const mpi::Groups groups(job);
    Profile result;
    result.world_size = whole.world_size;
    result.abi = whole.abi;
    result.library = whole.library;
    result.transport = whole.transport;
    result.split_sync = whole.split_sync;
    result.lost = whole.lost;
    result.call_sites = job.call_sites;
    std::map<std::uint32_t, std::uint64_t> communicators;  // indexed by the trace's objects
    for (const RankProfile& known : whole.ranks) {
        const auto rank = std::ranges::find(job.ranks, known.rank, &trace::TraceRank::rank);
        if (rank == job.ranks.end()) continue;
        RankProfile& profile = result.ranks.emplace_back(conditions_of(known, time_in(*rank, window)));
        RankSums sums(job, groups, *rank);
        for (std::size_t stream = 0; stream < job.streams.size(); ++stream) {
            if (job.streams[stream].rank != known.rank) continue;
            sums.begin_thread();
            for (trace::Cursor cursor = trace.cursor(stream); cursor.next();) {
                const Parameters& call = cursor.parameters();
                if (RankSums::is_preparation(call.action)) sums.prepare(call);
                if (!window.contains(cursor.call().begin_ns)) continue;
                sums.count(cursor.call(), call);
                add_outside_time(call, cursor.call(), profile);
            }
        }
        sums.take(profile, communicators);
        for (trace::ThreadProfile& thread : profile.threads) thread.ns = profile.at<"wall_ns">();
    }
    result.communicators.resize(communicators.size());
    for (const auto& [object, number] : communicators) {
        const TraceObject& known = job.objects[object];
        result.communicators[number] = {.size = known.size,
                                        .fingerprint = known.context,
                                        .intercommunicator = known.intercommunicator,
                                        .name = known.name,
                                        .members = known.members};
    }
    return result;
}

}  // namespace waywiser::explain
