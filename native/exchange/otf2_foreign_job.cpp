#include "exchange/otf2_foreign_job.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/error.hpp"
#include "exchange/otf2_calls.hpp"
#include "exchange/text.hpp"
#include "trace/records/strides.hpp"

namespace waywiser::exchange::otf2 {

using trace::TraceObject;

namespace {

std::vector<trace::Stride> strides(const std::vector<std::uint64_t>& ranks) {
    std::vector<trace::Stride> all;
    for (const std::uint64_t wide : ranks) {
        const auto rank = static_cast<std::int32_t>(wide);
        if (!all.empty()) {
            auto& [first, stride, count] = all.back();
            if (count == 1) stride = rank - first;
            if (rank == first + stride * count) {
                ++count;
                continue;
            }
        }
        all.push_back({.first = rank, .stride = 1, .count = 1});
    }
    return all;
}

}  // namespace

std::string damaged_after(std::int64_t rank, std::uint32_t thread, std::uint64_t calls) {
    return joined("rank ", rank, ", thread ", thread, ": the OTF2 file of its events is damaged after ", calls,
                  " MPI calls");
}

ForeignJob::ForeignJob(const Definitions& definitions, std::string creator, trace::TraceWriter& writer)
    : definitions_(definitions),
      creator_(std::move(creator)),
      writer_(writer),
      counts_destinations_(creator_.starts_with("Score-P")) {
    find_ranks();
    for (const auto& [ref, region] : definitions.regions) {
        const std::string name = function_of(region.name);
        if (name.empty()) continue;
        const bool test = name.starts_with("MPI_Test");
        regions_[ref] = {.function = writer.function(name), .action = action_of(name), .test = test};
    }
    trace::TraceJob& job = writer.job();
    job.world_size = static_cast<std::int64_t>(masters_.size());
    job.library = "unknown (imported from OTF2 of " + creator_ + ")";
    job.begin_unix_ns = definitions.begin_unix_ns;
    numbers_.resize(masters_.size());
    list_ranks();
}

/// Determines the ranks: the members of the group of MPI locations, or else all processes in order.
void ForeignJob::find_ranks() {
    masters_ = definitions_.mpi_locations;
    std::unordered_map<Location, Ref> group_of;
    for (const LocationDefinition& location : definitions_.locations) {
        if (location.type <= kCpuThread) group_of[location.ref] = location.group;
    }
    if (masters_.empty()) {
        std::map<Ref, Location> first;
        for (const LocationDefinition& location : definitions_.locations) {
            if (location.type <= kCpuThread) first.try_emplace(location.group, location.ref);
        }
        for (const auto& [group, location] : first) masters_.push_back(location);
    }
    for (std::size_t rank = 0; rank < masters_.size(); ++rank) {
        const auto at = group_of.find(masters_[rank]);
        if (at != group_of.end()) rank_of_group_.try_emplace(at->second, static_cast<std::int64_t>(rank));
    }
    require(!rank_of_group_.empty(), "the OTF2 trace has no processes");
    std::vector<std::uint32_t> next(masters_.size(), 1);
    for (const LocationDefinition& location : definitions_.locations) {
        const auto at = rank_of_group_.find(location.group);
        if (location.type > kCpuThread || at == rank_of_group_.end()) continue;
        const auto rank = static_cast<std::size_t>(at->second);
        const bool is_master = masters_[rank] == location.ref;
        threads_.push_back({location.ref, at->second, is_master ? 0 : next[rank]++, location.events});
    }
    std::ranges::sort(threads_, {}, [](const ForeignThread& thread) { return std::pair(thread.rank, thread.thread); });
}

void ForeignJob::list_ranks() {
    for (const auto& [group, rank] : rank_of_group_) {
        writer_.job().ranks.push_back({.rank = rank, .host = host_of(group), .objects = {}});
    }
    std::ranges::sort(writer_.job().ranks, {}, &trace::TraceRank::rank);
}

std::uint32_t ForeignJob::host_of(Ref group) {
    const auto location_group = definitions_.location_groups.find(group);
    Ref node = location_group == definitions_.location_groups.end() ? kUndefined : location_group->second.node;
    std::string host = "unknown";
    // The tree of a machine has few levels, but a damaged one may have a cycle.
    for (int level = 0; level < 64; ++level) {
        const auto at = definitions_.nodes.find(node);
        if (at == definitions_.nodes.end()) break;
        if (level == 0 || at->second.class_name == "node") host = at->second.name;
        if (at->second.class_name == "node") break;
        node = at->second.parent;
    }
    auto& hosts = writer_.job().hosts;
    const auto known = std::ranges::find(hosts, host, &trace::HostClock::host);
    const auto index = static_cast<std::uint32_t>(known - hosts.begin());
    if (known == hosts.end()) hosts.push_back({.host = host, .method = "as the OTF2 trace has it"});
    return index;
}

std::vector<Location> ForeignJob::locations() const {
    std::vector<Location> all;
    all.reserve(threads_.size());
    for (const ForeignThread& thread : threads_) all.push_back(thread.location);
    return all;
}

ForeignStream& ForeignJob::begin(const ForeignThread& thread) {
    if (present_.rank != thread.rank) {
        communicators_.clear();
        windows_.clear();
        next_request_ = 0;
    }
    present_ = thread;
    writer_.begin_stream(thread.rank, thread.thread);
    stream_ = std::make_unique<ForeignStream>(writer_, *this, next_request_);
    return *stream_;
}

void ForeignJob::end(bool whole) {
    stream_->finish();
    next_request_ = stream_->next_request();
    const ForeignStream::Counts& of_stream = stream_->counts();
    counts_.calls += of_stream.calls;
    counts_.other_regions += of_stream.other_regions;
    counts_.receives += of_stream.receives;
    counts_.probes += of_stream.probes;
    counts_.bare += of_stream.bare;
    counts_.unfinished += of_stream.unfinished;
    auto& ranks = writer_.job().ranks;
    const auto rank = std::ranges::find(ranks, present_.rank, &trace::TraceRank::rank);
    if (stream_->finalised() && rank != ranks.end()) rank->ending = trace::Ending::finalised;
    if (!whole && present_.events > 0) {
        writer_.job().lost.push_back(damaged_after(present_.rank, present_.thread, of_stream.calls));
    }
}

void ForeignJob::note_losses() {
    std::vector<std::string>& lost = writer_.job().lost;
    const auto say = [&](std::uint64_t number, const char* text) {
        if (number > 0) lost.push_back("imported from OTF2: " + std::to_string(number) + text);
    };
    say(counts_.other_regions, " entries of regions that are not MPI's are left out");
    say(counts_.receives,
        " receives are taken to have named the source and the tag of the message that they got: the records do not say "
        "which were wildcards");
    say(counts_.probes, " probes have no record of what they found");
    say(counts_.bare,
        " calls have no record of what they sent, received, reached or waited for: they can be timed, not replayed");
    say(counts_.unfinished, " requests have no record of their completion, or it is more than 262144 calls away");
}

std::uint64_t ForeignJob::finish() {
    note_losses();
    for (trace::TraceRank& rank : writer_.job().ranks) {
        const auto& numbers = numbers_.at(static_cast<std::size_t>(rank.rank));
        rank.objects.resize(numbers.size());
        for (const auto& [object, number] : numbers) rank.objects[static_cast<std::size_t>(number)] = object;
    }
    return counts_.calls;
}

const ForeignRegion* ForeignJob::region(Ref ref) const {
    const auto at = regions_.find(ref);
    return at == regions_.end() ? nullptr : &at->second;
}

std::int32_t ForeignJob::number_of(const TraceObject& object) {
    auto& numbers = numbers_.at(static_cast<std::size_t>(present_.rank));
    return numbers.try_emplace(writer_.object(object), static_cast<std::int32_t>(numbers.size())).first->second;
}

std::vector<trace::Stride> ForeignJob::members(Ref ref) const {
    const auto at = definitions_.groups.find(ref);
    if (at == definitions_.groups.end()) return {};
    const Group& group = at->second;
    if (group.type == kCommSelf) return {{static_cast<std::int32_t>(present_.rank), 1, 1}};
    if (group.type != kCommLocations) return strides(group.members);
    return {{0, 1, static_cast<std::int32_t>(group.members.size())}};
}

std::uint64_t ForeignJob::processes(Ref comm) const {
    const auto at = definitions_.comms.find(comm);
    const auto group =
        at == definitions_.comms.end() ? definitions_.groups.end() : definitions_.groups.find(at->second.group);
    if (group == definitions_.groups.end()) return 0;
    return group->second.type == kCommSelf ? 1 : group->second.members.size();
}

std::int32_t ForeignJob::communicator(Ref ref) {
    const auto known = communicators_.find(ref);
    if (known != communicators_.end()) return known->second;
    const auto at = definitions_.comms.find(ref);
    const bool is_defined = at != definitions_.comms.end();
    const std::int32_t number = is_defined ? number_of(communicator_object(ref, at->second)) : trace::kUnknown;
    return communicators_[ref] = number;
}

TraceObject ForeignJob::communicator_object(Ref ref, const Comm& comm) const {
    TraceObject object{
        .context = std::uint64_t{ref} + 1, .name = comm.name, .members = members(comm.group), .own_group = {}};
    object.size = static_cast<std::int64_t>(processes(ref));
    if (comm.other_group != kUndefined) {
        // A rank's peers are the members of the remote group.
        object.intercommunicator = true;
        object.own_group = members(comm.other_group);
        if (trace::place_among(object.members, present_.rank) >= 0) {
            std::swap(object.members, object.own_group);
            object.size = 0;
            for (const trace::Stride& stride : object.members) object.size += stride.count;
        }
    }
    const auto group = definitions_.groups.find(comm.group);
    if (group != definitions_.groups.end() && group->second.type == kCommSelf) {
        object.context |= static_cast<std::uint64_t>(present_.rank + 1) << 33U;  // The object is each rank's own.
        if (object.name.empty()) object.name = "MPI_COMM_SELF";
    }
    return object;
}

std::int32_t ForeignJob::window(Ref ref) {
    const auto known = windows_.find(ref);
    if (known != windows_.end()) return known->second;
    const auto at = definitions_.windows.find(ref);
    if (at == definitions_.windows.end()) return trace::kUnknown;
    const auto comm = definitions_.comms.find(at->second.comm);
    TraceObject object{
        .kind = TraceObject::Kind::window,
        .context = (std::uint64_t{1} << 32U) + ref + 1,
        .name = at->second.name,
        .members = comm == definitions_.comms.end() ? std::vector<trace::Stride>{} : members(comm->second.group),
        .own_group = {}};
    object.size = static_cast<std::int64_t>(processes(at->second.comm));
    return windows_[ref] = number_of(object);
}

}  // namespace waywiser::exchange::otf2
