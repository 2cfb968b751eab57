#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "explain/clock_bounds.hpp"
#include "explain/waits.hpp"
#include "mpi/calls.hpp"
#include "mpi/matching.hpp"

namespace waywiser::explain {
namespace {

using mpi::MessageKey;
using mpi::Operation;
using mpi::RankCall;
using trace::Action;
using trace::TraceFile;
using trace::TraceJob;

/// One end of a message.
struct End {
    bool sender;
    std::uint32_t host;
    std::uint64_t ns;
};

/// A collective that no rank leaves before all ranks have entered it, as if each rank had sent every other rank a
/// message.
struct Gathering {
    struct OnHost {
        std::uint32_t host;
        std::uint64_t last_begin_ns;
        std::uint64_t first_end_ns;
    };

    std::int64_t ranks = 0;
    std::vector<OnHost> hosts;

    void add(std::uint32_t host, std::uint64_t begin_ns, std::uint64_t end_ns) {
        ++ranks;
        for (OnHost& known : hosts) {
            if (known.host != host) continue;
            known.last_begin_ns = std::max(known.last_begin_ns, begin_ns);
            known.first_end_ns = std::min(known.first_end_ns, end_ns);
            return;
        }
        hosts.push_back({.host = host, .last_begin_ns = begin_ns, .first_end_ns = end_ns});
    }
};

/// True if each rank needs data or a signal from all others.
bool all_to_all(std::string_view function) {
    constexpr std::array<std::string_view, 5> kNames{"MPI_Barrier", "MPI_Allreduce", "MPI_Allgather", "MPI_Alltoall",
                                                     "MPI_Reduce_scatter"};
    return std::any_of(kNames.begin(), kNames.end(), [&](auto name) { return function.starts_with(name); });
}

class Observer {
public:
    explicit Observer(const TraceJob& job) : job_(job), estimate_(job) {}

    void look_at(const RankCall& call, std::size_t rank) {
        const std::uint32_t host = job_.ranks[rank].host;
        for (const auto& operation : call.began) {
            if (operation->kind == Operation::Kind::send) {
                message(operation->key, {.sender = true, .host = host, .ns = operation->begin_ns});
            }
        }
        for (const auto& operation : call.completed) {
            if (operation->kind == Operation::Kind::receive && operation->known) {
                message(operation->key, {.sender = false, .host = host, .ns = call.call.end_ns});
            } else if (operation->kind == Operation::Kind::collective && blocks_for_all(call)) {
                meeting(operation->key, call, rank);
            }
        }
    }

    [[nodiscard]] std::vector<trace::HostClock> clocks() const { return estimate_.clocks(); }

private:
    [[nodiscard]] bool blocks_for_all(const RankCall& call) const {
        return call.parameters.action == Action::collective && call.parameters.request == trace::kNone &&
               all_to_all(job_.functions[call.parameters.function]);
    }

    void message(const MessageKey& key, const End& end) {
        const std::optional<End> counterpart = ends_.meet(key, end);
        if (!counterpart || counterpart->host == end.host) return;
        const End& sent = end.sender ? end : *counterpart;
        const End& received = end.sender ? *counterpart : end;
        estimate_.message(sent.host, sent.ns, received.host, received.ns);
    }

    void meeting(const MessageKey& key, const RankCall& call, std::size_t rank) {
        const std::uint32_t* over = mpi::numbered(job_.ranks[rank].objects, call.parameters.object);
        if (over == nullptr || job_.objects[*over].intercommunicator) return;
        Gathering& meeting = meetings_[mpi::message_id(key)];
        meeting.add(job_.ranks[rank].host, call.call.begin_ns, call.call.end_ns);
        if (meeting.ranks < job_.objects[*over].size) return;
        // Bounds are added between each host and the first one: further pairs would add no information but take longer.
        const Gathering::OnHost& first = meeting.hosts.front();
        for (const Gathering::OnHost& other : meeting.hosts) {
            estimate_.message(first.host, first.last_begin_ns, other.host, other.first_end_ns);
            estimate_.message(other.host, other.last_begin_ns, first.host, first.first_end_ns);
        }
        meetings_.erase(mpi::message_id(key));
    }

    const TraceJob& job_;
    ClockEstimate estimate_;
    mpi::MessagePairs<End> ends_;
    std::unordered_map<std::uint64_t, Gathering> meetings_;
};

}  // namespace

std::vector<trace::HostClock> estimate_clocks(const TraceFile& trace) {
    const TraceJob& job = trace.job();
    if (job.hosts.size() < 2) return job.hosts;
    const mpi::Groups groups(job);
    Observer observer(job);
    for (mpi::JobCalls calls(trace, groups); calls.next();) observer.look_at(calls.call(), calls.rank());
    return observer.clocks();
}

}  // namespace waywiser::explain
