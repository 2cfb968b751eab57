#include "trace/merging/state_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>

#include "base/error.hpp"
#include "trace/encoding/shared_file.hpp"
#include "trace/merging/not_counted.hpp"
#include "trace/merging/state_records.hpp"

namespace waywiser::trace {
namespace {

std::string abi_name(state::Abi abi) {
    switch (abi) {
        case state::Abi::openmpi: return "openmpi";
        case state::Abi::mpich: return "mpich";
        case state::Abi::standard: return "standard";
        case state::Abi::unknown: break;
    }
    return "unknown";
}

/// Converts ticks to nanoseconds by the header's two calibration points.
class Clock {
public:
    explicit Clock(const state::Header& header) : ns_per_tick_(ns_per_tick(header)) {}

    [[nodiscard]] std::uint64_t ns(std::uint64_t ticks) const {
        return static_cast<std::uint64_t>(std::llround(static_cast<long double>(ticks) * ns_per_tick_));
    }

private:
    long double ns_per_tick_;
};

/// A state's header. An old state's metrics are moved to their present fields.
state::Header read_header(std::string_view state) {
    auto header = read_record<state::Header>(state);
    if (header.fields != 0) return header;
    constexpr std::size_t kUsage = index_of<kRankFields, "cpu_ns">();
    constexpr std::size_t kCounters = index_of<kRankFields, "instructions">();
    std::ranges::copy(header.old_begin, header.metrics_begin.values + kUsage);
    std::ranges::copy(header.old_end, header.metrics_end.values + kUsage);
    std::ranges::copy(header.old_counters_begin, header.metrics_begin.values + kCounters);
    std::ranges::copy(header.old_counters_end, header.metrics_end.values + kCounters);
    header.fields = kCounters + std::size(header.old_counters_end);
    return header;
}

struct UnfinishedCall {
    std::uint32_t thread;
    std::uint64_t function;
    std::uint64_t begin_ticks;
};

/// Iterates over the records of a state.
class StateDecoder {
public:
    StateDecoder(std::string_view bytes, ProcessState& into)
        : bytes_(bytes), into_(into), header_(read_header(bytes)), clock_(header_) {}

    void decode() {
        for_each_record(bytes_, [this](const state::RecordHeader& header, std::string_view record) {
            decode_record(header, record);
        });
        describe();
        if (into_.profile.ending == Ending::killed) count_unfinished();
        describe_openmp();
        sort();
        resolve();
    }

private:
    /// Reads a record. A record that is shorter than its kind is damage; otherwise a few bytes could claim many
    /// records.
    template <class Record>
    void decode_whole(std::string_view record) {
        if (record.size() >= sizeof(Record)) decode(read_record<Record>(record));
    }

    void decode_io(std::string_view record) {
        if (record.size() < sizeof(state::FunctionRecord)) return;
        add_to(into_.profile.io, read_record<state::FunctionRecord>(record));
    }

    void decode_record(const state::RecordHeader& header, std::string_view record) {
        switch (header.kind) {
            case state::Kind::none:
            case state::Kind::trace_signature:  // These records belong to traces, not to profiles:
                                                // recorded_process.cpp.
            case state::Kind::trace_list:
            case state::Kind::trace_object:
            case state::Kind::trace_stream: break;
            case state::Kind::function: return decode_whole<state::FunctionRecord>(record);
            case state::Kind::partners: return decode_whole<state::PartnersRecord>(record);
            case state::Kind::thread: return decode_whole<state::ThreadRecord>(record);
            case state::Kind::phase: return decode_whole<state::PhaseRecord>(record);
            case state::Kind::communicator: return decode_whole<state::CommunicatorRecord>(record);
            case state::Kind::members: return decode_whole<state::MembersRecord>(record);
            case state::Kind::collective: return decode_whole<state::CollectiveRecord>(record);
            case state::Kind::module: return decode_whole<state::ModuleRecord>(record);
            case state::Kind::call_site: return decode_whole<state::CallSiteRecord>(record);
            case state::Kind::io: return decode_io(record);
            case state::Kind::openmp: return decode_whole<state::OpenMpRecord>(record);
        }
    }

    ThreadProfile& thread(std::uint32_t index) { return threads_[index]; }

    void decode(const state::FunctionRecord& record) {
        names_[record.id] = text_of(record.name);
        add_to(thread(record.header.thread).functions, record);
    }

    void add_to(std::vector<FunctionProfile>& functions, const state::FunctionRecord& record) const {
        FunctionProfile function;
        function.name = text_of(record.name);
        function.phase = record.phase;
        for (unsigned bin = 0; bin < state::kBins; ++bin) {
            auto [calls, ticks] = record.bins[bin];
            if (bin == 0) {
                calls += record.pending.calls;
                ticks += record.pending.ticks;
            }
            if (calls == 0) continue;
            function.sizes.push_back({state::upper_bound_bytes(bin), calls, clock_.ns(ticks)});
            function.load.calls += calls;
            function.load.ns += function.sizes.back().ns;
        }
        if (function.sizes.empty()) return;
        function.load.max_ns = clock_.ns(record.max_ticks);
        function.load.sync_ns = clock_.ns(record.sync_ticks);
        function.load.bytes = record.bytes;
        function.load.receive_bytes = record.receive_bytes;
        function.pending_calls = record.pending.calls;
        function.pending_ns = clock_.ns(record.pending.ticks);
        functions.push_back(std::move(function));
    }

    void decode(const state::PartnersRecord& record) {
        const std::size_t used = std::min<std::size_t>(record.used, std::size(record.partners));
        for (std::size_t i = 0; i < used; ++i) {
            const state::Partner& partner = record.partners[i];
            if (partner.world_rank < 0 || partner.world_rank >= kMaxRanks) continue;
            Message& sum = messages_[partner.world_rank];
            sum.destination = partner.world_rank;
            sum.bytes += partner.bytes;
            sum.messages += partner.messages;
            sum.collective_bytes += partner.collective_bytes;
            sum.collective_messages += partner.collective_messages;
        }
    }

    void decode(const state::ThreadRecord& record) {
        last_ticks_ = std::max(last_ticks_, record.last_ticks);
        std::uint64_t last = record.last_ticks;
        if (record.current_begin_ticks > record.last_ticks) {
            inside_ = record.current;
            last = std::max(last, header_.end.ticks);
            unfinished_.push_back({record.header.thread, record.current, record.current_begin_ticks});
        }
        thread(record.header.thread).ns = clock_.ns(difference(last, record.first_ticks));
    }

    /// Adds the calls that a killed process had not finished, up to the last known time. Like failed calls, they have
    /// no payload.
    void count_unfinished() {
        const std::uint64_t last = std::max(last_ticks_, header_.end.ticks);
        for (const auto& [index, id, begin_ticks] : unfinished_) {
            const auto name = names_.find(id);
            if (name == names_.end()) continue;  // The name's record was truncated.
            FunctionProfile& function = in_open_phase(thread(index).functions, name->second);
            std::vector<SizeCount>& sizes = function.sizes;
            if (sizes.empty() || sizes.front().upper_bound_bytes != 0) sizes.insert(sizes.begin(), {0, 0, 0});
            const std::uint64_t ns = clock_.ns(difference(last, begin_ticks));
            sizes.front().calls += 1;
            sizes.front().ns += ns;
            function.load.calls += 1;
            function.load.ns += ns;
            function.load.max_ns = std::max(function.load.max_ns, ns);
        }
    }

    FunctionProfile& in_open_phase(std::vector<FunctionProfile>& functions, const std::string& name) const {
        const auto at = std::ranges::find_if(functions, [&](const FunctionProfile& function) {
            return function.name == name && function.phase == open_phase_;
        });
        if (at != functions.end()) return *at;
        FunctionProfile& function = functions.emplace_back();
        function.name = name;
        function.phase = open_phase_;
        return function;
    }

    void decode(const state::PhaseRecord& record) {
        std::uint64_t ticks = record.ticks;
        if (record.since_ticks != 0) {
            ticks += difference(header_.end.ticks, record.since_ticks);
            open_phase_ = record.phase;
        }
        into_.profile.phases.push_back({record.phase, record.entries, clock_.ns(ticks)});
    }

    void decode(const state::CommunicatorRecord& record) {
        communicators_[record.id] = into_.communicators.size();
        into_.communicators.push_back({.size = record.size,
                                       .fingerprint = record.fingerprint,
                                       .intercommunicator = record.intercommunicator != 0,
                                       .name = text_of(record.name),
                                       .members = {}});
    }

    void decode(const state::MembersRecord& record) { add_members(record, members_[record.communicator]); }

    template <class Record>
    [[nodiscard]] Load load_of(const Record& record) const {
        return {.calls = record.calls,
                .ns = clock_.ns(record.ticks),
                .max_ns = 0,
                .sync_ns = clock_.ns(record.sync_ticks),
                .bytes = record.bytes,
                .receive_bytes = record.receive_bytes};
    }

    void decode(const state::CollectiveRecord& record) {
        if (record.calls == 0) return;
        into_.profile.collectives.push_back({.communicator = record.communicator,
                                             .function = text_of(record.name),
                                             .root = record.root,
                                             .load = load_of(record)});
    }

    void decode(const state::ModuleRecord& record) { modules_[record.id] = record; }

    void decode(const state::CallSiteRecord& record) {
        if (record.calls == 0) return;
        into_.profile.call_sites.push_back(
            {.site = into_.call_sites.size(), .function = text_of(record.name), .load = load_of(record)});
        into_.profile.call_sites.back().load.max_ns = clock_.ns(record.max_ticks);
        into_.call_sites.push_back({.module = {}, .address = record.address, .place = {}});
        site_modules_.push_back(record.module);
    }

    void decode(const state::OpenMpRecord& record) {
        if (record.first_thread >= state::kOpenMpThreads) return;
        for (std::size_t i = 0; i < std::size(record.threads); ++i) {
            openmp_threads_[record.first_thread + i] = record.threads[i];
        }
    }

    /// A thread took part in the regions of all teams whose last thread does not precede it. The part of their time in
    /// which it was not present is its wait at their ends.
    void describe_openmp() {
        OpenMpProfile& openmp = into_.profile.openmp;
        std::uint64_t team_ticks = 0;
        for (auto at = openmp_threads_.rbegin(); at != openmp_threads_.rend(); ++at) {
            const state::OpenMpThread& thread = at->second;
            openmp.regions += thread.teams;
            openmp.tasks += thread.tasks;
            team_ticks += thread.team_ticks;
            if (thread.regions == 0) continue;
            openmp.threads.push_back({.regions = thread.regions,
                                      .busy_ns = clock_.ns(thread.busy_ticks),
                                      .barrier_ns = clock_.ns(thread.barrier_ticks),
                                      .end_ns = clock_.ns(difference(team_ticks, thread.present_ticks))});
        }
        openmp.ns = clock_.ns(team_ticks);
        std::ranges::reverse(openmp.threads);
    }

    /// Replaces the process's own numbers by indices into its tables, once all records are read. Dangling references of
    /// a truncated file are dropped.
    void resolve() {
        for (const auto& [id, members] : members_) {
            if (const auto at = communicators_.find(id); at != communicators_.end()) {
                into_.communicators[at->second].members = members;
            }
        }
        std::erase_if(into_.profile.collectives, [&](CollectiveProfile& collective) {
            const auto at = communicators_.find(collective.communicator);
            if (at == communicators_.end()) return true;
            collective.communicator = at->second;
            return false;
        });
        for (std::size_t i = 0; i < site_modules_.size(); ++i) {
            const auto at = modules_.find(site_modules_[i]);
            if (at != modules_.end()) into_.call_sites[i] = call_site(at->second, into_.call_sites[i].address);
        }
    }

    [[nodiscard]] std::uint64_t ns_in(std::initializer_list<std::string_view> names) const {
        std::uint64_t sum = 0;
        for (const auto& [index, thread] : threads_) {
            for (const FunctionProfile& function : thread.functions) {
                if (std::ranges::find(names, function.name) != names.end()) sum += function.load.ns;
            }
        }
        return sum;
    }

    /// The process's own counters, between its first call and the last sample.
    void describe_metrics(RankProfile& rank) const {
        for (std::size_t i = 0; i < std::min<std::size_t>(header_.fields, kRankFields.size()); ++i) {
            const std::uint64_t begin = header_.metrics_begin.values[i];
            const std::uint64_t end = header_.metrics_end.values[i];
            const bool is_known = begin != state::kUnknown && end != state::kUnknown;
            if (!is_known && kRankFields[i].is_optional()) continue;
            rank[i] = kRankFields[i].merging == Merging::most ? end : difference(end, begin);
        }
    }

    void describe() {
        RankProfile& rank = into_.profile;
        into_.head = head_of(header_);
        rank.rank = into_.head.rank;
        rank.pid = into_.head.pid;
        rank.ending = into_.head.ending;
        rank.host = into_.head.host;
        if (rank.ending != Ending::finalised && inside_ != 0) rank.inside = names_[inside_];
        rank.cpus = text_of(header_.cpus);
        describe_metrics(rank);
        const bool finalised = header_.finalize_end_ticks != 0;
        const std::uint64_t last = std::max(last_ticks_, header_.end.ticks);
        if (header_.init_begin_ticks != 0) {
            const std::uint64_t end = finalised ? header_.finalize_end_ticks : last;
            rank.at<"wall_ns">() = clock_.ns(difference(end, header_.init_begin_ticks));
        }
        rank.at<"init_ns">() = ns_in({"MPI_Init", "MPI_Init_thread", "MPI_Session_init"});
        rank.at<"finalize_ns">() = ns_in({"MPI_Finalize", "MPI_Session_finalize"});
        rank.sharing = header_.sharing;
        rank.end_unseen = header_.end_unseen != 0;
        rank.not_counted = why_not_counted(header_.counters_error, header_.perf_event_paranoid);
        into_.split_sync = header_.split_sync != 0;
        into_.abi = abi_name(header_.abi);
        into_.library = text_of(header_.library);
        into_.transport = text_of(header_.transport);
    }

    void sort() {
        for (auto& [index, thread] : threads_) {
            std::ranges::sort(thread.functions, {}, [](const FunctionProfile& function) {
                return std::pair(std::string_view(function.name), function.phase);
            });
            into_.profile.threads.push_back(std::move(thread));
        }
        for (const auto& [destination, message] : messages_) into_.profile.messages.push_back(message);
    }

    std::string_view bytes_;
    ProcessState& into_;
    state::Header header_;
    Clock clock_;
    std::map<std::uint32_t, ThreadProfile> threads_;
    std::map<std::int64_t, Message> messages_;
    std::map<std::uint64_t, std::string> names_;
    std::map<std::uint64_t, std::uint64_t> communicators_;
    std::map<std::uint64_t, std::vector<Stride>> members_;
    std::map<std::uint64_t, state::ModuleRecord> modules_;
    std::vector<std::uint64_t> site_modules_;
    std::vector<UnfinishedCall> unfinished_;
    std::int64_t open_phase_ = 1;  // MPI_Pcontrol's default level
    std::map<std::uint64_t, state::OpenMpThread> openmp_threads_;
    std::uint64_t last_ticks_ = 0;
    std::uint64_t inside_ = 0;
};

}  // namespace

SavedStates read_states(const std::string& path) {
    const SharedFile file(path);
    require(file.is_open(), path + ": cannot be opened");
    const std::string bytes = file.read_all();
    SavedStates saved;
    for_each_state(
        bytes, [&](std::string_view state) { StateDecoder(state, saved.processes.emplace_back()).decode(); },
        [&](std::string_view page) {
            const auto node = read_record<state::NodeState>(page);
            if (std::memcmp(node.magic, state::kNodeMagic, sizeof node.magic) == 0) saved.nodes.push_back(node);
        });
    require(!saved.processes.empty(),
            path + ": expected a profiler's state of at least " + std::to_string(state::kHeaderBytes) + " bytes");
    return saved;
}

}  // namespace waywiser::trace
