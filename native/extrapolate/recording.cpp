#include "extrapolate/recording.hpp"

#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "trace/encoding/codec.hpp"
#include "trace/encoding/peers.hpp"
#include "trace/records/strides.hpp"

namespace waywiser::extrapolate {

using trace::Action;
using trace::Parameters;

namespace {

/// Longest time between two polls in a row, as in the replay; else the program computes between them (design 011).
constexpr std::uint64_t kBetweenPolls_ns = 1000;

template <class Item>
std::uint32_t index_in(std::vector<Item>& items, const Item& item) {
    const auto position = std::ranges::find(items, item);
    if (position != items.end()) return static_cast<std::uint32_t>(position - items.begin());
    items.push_back(item);
    return static_cast<std::uint32_t>(items.size() - 1);
}

std::string bytes_of(const Parameters& call) {
    trace::Encoder out;
    trace::encode(call, out);
    return out.bytes();
}

/// Text of all parameters that no rule predicts.
std::string key_of(const Parameters& call) {
    Parameters kept = call;
    kept.peer = kept.tag = kept.source = kept.source_tag = trace::kNone;
    kept.bytes = kept.posted = 0;
    return bytes_of(kept);
}

/// The parts of one size that all ranks or all others get, as from MPI_Alltoallv in a transposition; otherwise the
/// parts themselves. Calls with a root do not count: only the root knows the parts.
/// \param own  the own rank in the communicator
std::span<const std::uint64_t> simplified(const Parameters& call, std::size_t own) {
    const bool collective = call.action == Action::collective || call.action == Action::prepare_collective;
    if (!collective || call.peer != trace::kNone || call.counts.empty()) return call.counts;
    const auto equal = [](std::span<const std::uint64_t> parts) {
        return std::ranges::adjacent_find(parts, std::not_equal_to()) == parts.end();
    };
    const bool alone = call.counts.size() == 1 && call.counts.front() == 0;
    if (equal(call.counts) && !alone) return kEqualParts;
    if (own >= call.counts.size() || call.counts[own] != 0) return call.counts;
    const auto before = call.counts.first(own);
    const auto after = call.counts.subspan(own + 1);
    const bool alike = before.empty() || after.empty() || before.front() == after.front();
    return equal(before) && equal(after) && alike ? std::span<const std::uint64_t>(kPartsOfOthers) : call.counts;
}

bool is_simplified(const Parameters& call) {
    return call.counts.data() == kEqualParts.data() || call.counts.data() == kPartsOfOthers.data();
}

bool is_idle_poll(const Parameters& call) {
    if (call.action == Action::complete) return call.completed.empty() && !call.requests.empty();
    return !call.found;
}

class Reader {
public:
    Reader(const std::string& path, Vocabulary& vocabulary) : vocabulary_(vocabulary), file_(path) {
        recording_.path = path;
        const trace::TraceJob& job = file_.job();
        recording_.ranks = job.world_size;
        recording_.library = job.library;
        require(job.lost.empty(),
                path + ": " + (job.lost.empty() ? "" : job.lost.front()) + "; an extrapolation needs complete traces");
        for (const std::string& name : job.functions) functions_.push_back(index_in(vocabulary.functions, name));
        for (const trace::CallSite& site : job.call_sites) sites_.push_back(index_in(vocabulary.call_sites, site));
        recording_.calls.resize(static_cast<std::size_t>(recording_.ranks));
        recording_.objects.resize(static_cast<std::size_t>(recording_.ranks));
        for (const trace::TraceObject& object : job.objects) {
            auto& members = recording_.groups.emplace_back();
            if (object.intercommunicator) continue;
            trace::each_member(object.members, [&](std::int64_t rank) { members.push_back(rank); });
        }
        for (const trace::TraceRank& rank : job.ranks) {
            require(rank.ending == trace::Ending::finalised && rank.dropped_calls == 0,
                    recording_.path + ": rank " + std::to_string(rank.rank) +
                        " did not end, or calls of it were dropped; an extrapolation needs complete traces");
            recording_.objects[static_cast<std::size_t>(rank.rank)] = rank.objects;
        }
        nodes(job);
    }

    Recording read() {
        const trace::TraceJob& job = file_.job();
        for (std::size_t i = 0; i < job.streams.size(); ++i) {
            if (job.streams[i].events > 0) read_stream(i, job.streams[i].rank);
        }
        for (std::int64_t rank = 0; rank < recording_.ranks; ++rank) {
            require(!recording_.calls[static_cast<std::size_t>(rank)].empty(),
                    recording_.path + ": rank " + std::to_string(rank) + " has no calls");
        }
        return std::move(recording_);
    }

private:
    /// Finds the number of ranks on each node, if all nodes have the same number of consecutive ranks.
    void nodes(const trace::TraceJob& job) {
        std::map<std::uint32_t, std::int64_t> on_host;
        for (const trace::TraceRank& rank : job.ranks) ++on_host[rank.host];
        recording_.nodes = static_cast<std::int64_t>(on_host.size());
        recording_.per_node = recording_.ranks / std::max<std::int64_t>(recording_.nodes, 1);
        for (const trace::TraceRank& rank : job.ranks) {
            const std::int64_t first = rank.rank / recording_.per_node * recording_.per_node;
            const bool in_block = on_host[rank.host] == recording_.per_node &&
                                  job.ranks[static_cast<std::size_t>(first)].host == rank.host;
            if (!in_block) recording_.per_node = 0;
            if (!in_block) return;
        }
    }

    void read_stream(std::size_t stream, std::int64_t rank) {
        std::vector<RecordedCall>& calls = recording_.calls[static_cast<std::size_t>(rank)];
        require(calls.empty(), recording_.path + ": rank " + std::to_string(rank) +
                                   " calls MPI from several threads, which is not extrapolated");
        std::map<std::int32_t, std::size_t> open;  // wildcard receives by request
        std::uint64_t last_ns = 0;
        std::uint64_t between_polls_ns = 0;
        trace::Cursor cursor = file_.cursor(stream);
        while (cursor.next()) {
            const trace::TracedCall& times = cursor.call();
            Parameters call = renamed(cursor.parameters(), rank);
            if (is_idle_poll(call)) {
                const std::uint64_t apart_ns = times.end_ns - times.begin_ns - times.polling_ns;
                if (apart_ns > kBetweenPolls_ns * times.times) between_polls_ns += apart_ns;
                last_ns = times.end_ns;
                continue;
            }
            check(call, rank);
            name_what_came(call, calls, open);
            const bool first = calls.empty();  // This is the start of the process.
            const std::uint64_t gap_ns = first ? 0 : times.begin_ns - std::min(last_ns, times.begin_ns);
            const std::string& function = vocabulary_.functions[call.function];
            const bool outside = call.action == Action::initialise || function == "MPI_Finalize";
            calls.push_back({.form = form_of(call),
                             .gap_ns = gap_ns + std::exchange(between_polls_ns, 0),
                             .length_ns = outside ? 0 : times.end_ns - times.begin_ns});
            const bool any = call.source == trace::kAny || call.source_tag == trace::kAny;
            if (any && call.action == Action::receive) open[call.request] = calls.size() - 1;
            last_ns = std::max(last_ns, times.end_ns);
        }
    }

    /// Replaces the wildcards of a receive by the source and the tag that it matched.
    void name_what_came(Parameters& call, std::vector<RecordedCall>& calls, std::map<std::int32_t, std::size_t>& open) {
        const auto name = [](Parameters& receive, std::int32_t source, std::int32_t tag) {
            if (receive.source == trace::kAny && source >= 0) receive.source = source;
            if (receive.source_tag == trace::kAny && tag >= 0) receive.source_tag = tag;
        };
        name(call, call.matched_source, call.matched_tag);
        call.matched_source = call.matched_tag = trace::kNone;
        completed_.assign(call.completed.begin(), call.completed.end());
        for (trace::Completion& done : completed_) {
            const auto index = static_cast<std::size_t>(done.index);
            const auto request = index < call.requests.size() ? open.find(call.requests[index]) : open.end();
            if (request != open.end()) {
                RecordedCall& posted = calls[request->second];
                Parameters named = recording_.forms[posted.form].signature.parameters;
                name(named, done.source, done.tag);
                posted.form = form_of(named);
                open.erase(request);
            }
            done.source = done.tag = trace::kNone;
        }
        call.completed = completed_;
    }

    /// A call with the vocabulary's numbers, and without the neighbours of topologies, which follow from the messages.
    Parameters renamed(const Parameters& recorded, std::int64_t rank) const {
        Parameters call = recorded;
        call.function = functions_[call.function];
        call.site = call.site == 0 ? 0 : sites_[call.site - 1] + 1;
        if (call.action == Action::make_object) {
            call.counts = {};
            call.detail = 0;
        }
        call.counts = simplified(call, place_of(rank, call.object));
        if (call.action == Action::finalise) call.action = Action::none;
        return call;
    }

    /// The place of a rank among the members of its object.
    std::size_t place_of(std::int64_t rank, std::int32_t object) const {
        const auto& objects = recording_.objects[static_cast<std::size_t>(rank)];
        if (object < 0 || static_cast<std::size_t>(object) >= objects.size()) return 0;
        const auto& members = recording_.groups[objects[static_cast<std::size_t>(object)]];
        return static_cast<std::size_t>(std::ranges::find(members, rank) - members.begin());
    }

    void check(const Parameters& call, std::int64_t rank) const {
        const auto refuse = [&](const std::string& why) {
            throw InvalidInput(recording_.path + ": rank " + std::to_string(rank) + ", " + vocabulary_.name(call) +
                               ": " + why);
        };
        if (!call.counts.empty() && !is_simplified(call)) {
            refuse(call.action == Action::rma_sync
                       ? "names the ranks of a window's epoch, which is not extrapolated"
                       : "has parts of different sizes for different ranks; only equal parts are extrapolated");
        }
        const bool neighbours = vocabulary_.functions[call.function].find("eighbor_") != std::string::npos;
        if (neighbours) refuse("neighbourhood collectives are not extrapolated");
    }

    std::uint32_t form_of(const Parameters& call) {
        const auto [at, added] =
            numbers_.try_emplace(bytes_of(call), static_cast<std::uint32_t>(recording_.forms.size()));
        if (added) {
            const auto symbol = static_cast<std::uint32_t>(vocabulary_.symbols.size());
            recording_.forms.push_back({.signature = trace::Signature(call),
                                        .symbol = vocabulary_.symbols.try_emplace(key_of(call), symbol).first->second});
        }
        return at->second;
    }

    Vocabulary& vocabulary_;
    trace::TraceFile file_;
    Recording recording_;
    std::vector<std::uint32_t> functions_;
    std::vector<std::uint32_t> sites_;
    std::vector<trace::Completion> completed_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace

std::string Vocabulary::name(const Parameters& call) const {
    const std::string& function = functions[call.function];
    if (call.site == 0) return function;
    const trace::CallSite& site = call_sites[call.site - 1];
    return function + " at " + (site.place.empty() ? site.module + "+" + std::to_string(site.address) : site.place);
}

Recording read_recording(const std::string& path, Vocabulary& vocabulary) { return Reader(path, vocabulary).read(); }

}  // namespace waywiser::extrapolate
