#include "trace/merging/recording_reader.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <system_error>

#include "base/durable_file.hpp"
#include "base/error.hpp"
#include "trace/encoding/shared_file.hpp"
#include "trace/merging/calls_files.hpp"
#include "trace/merging/recorded_objects.hpp"
#include "trace/merging/recorded_stream.hpp"
#include "trace/merging/state_records.hpp"
#include "trace/writing/trace_writer.hpp"

namespace waywiser::trace {
namespace {

/// The location of a process's state, and the clock data in its header.
struct StatePlace {
    std::string path;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t begin_unix_ns = 0;
    bool recorded = false;
};

using Place = std::pair<ProcessHead, StatePlace>;

std::string bytes_at(const StatePlace& place) {
    std::string bytes = SharedFile(place.path).read(place.offset, place.bytes);
    require(bytes.size() == place.bytes, place.path + ": has changed while it was read");
    return bytes;
}

std::string counted(std::uint64_t number, const std::string& noun, const std::string& plural) {
    return std::to_string(number) + " " + (number == 1 ? noun : plural);
}

std::string counted(std::uint64_t number, const std::string& noun) { return counted(number, noun, noun + "s"); }

/// Text for the reason why calls were lost, with a remedy.
std::string why_lost(std::uint64_t reason) {
    const std::string less = "record less of the run (--trace-window, --trace-phase)";
    if (reason == state::kBeyondLimit) return "beyond --trace-limit; give a higher limit, or " + less;
    if (reason == state::kNoMemory) return "the processes had no memory for them; " + less;
    const std::string reason_text = std::generic_category().message(static_cast<int>(reason));
    return "RUN/parts could not be written (" + reason_text + "); make room or choose another directory (-o), or " +
           less;
}

class Merge {
public:
    Merge(const std::vector<std::string>& states, std::vector<std::string> calls, TraceSummary& summary)
        : summary_(summary), calls_(std::move(calls)) {
        find_ranks(states);
        for (const std::string& sentence : calls_.lost()) say(sentence);
        summary_.recorded = std::ranges::any_of(ranks_, [](const auto& rank) { return rank.second.second.recorded; });
    }

    void write(const std::string& path, const NamePlaces& name_places) {
        TraceWriter writer(path);
        writer_ = &writer;
        describe_job();
        for (const auto& [number, place] : ranks_) {
            try {
                write_rank(place);
            } catch (const InvalidInput& error) {
                say(error.what());
            }
        }
        if (calls_.left() > 0) {
            say(counted(calls_.left(), "buffer") + " of processes that left no state to read them by");
        }
        say_what_was_lost();
        TraceJob& job = writer.job();
        job.objects = objects_.finish();
        job.lost = what_is_missing();
        job.lost.insert(job.lost.end(), summary_.lost.begin(), summary_.lost.end());
        const std::vector<std::string> places = name_places(job.call_sites);
        require(places.size() == job.call_sites.size(), "expected one place for each call site");
        for (std::size_t i = 0; i < places.size(); ++i) job.call_sites[i].place = places[i];
        writer.finish();
    }

private:
    void say(std::string sentence) { summary_.lost.push_back(std::move(sentence)); }

    void find_ranks(const std::vector<std::string>& paths) {
        Processes<StatePlace> processes;
        for (const std::string& path : paths) {
            const std::string bytes = SharedFile(path).read_all();
            for_each_state(bytes, [&](std::string_view state) {
                const auto header = read_record<state::Header>(state);
                const ProcessHead head = head_of(header);
                if (!head.is_possible()) return say(head.damage(path));
                processes.add(head, {.path = path,
                                     .offset = static_cast<std::uint64_t>(state.data() - bytes.data()),
                                     .bytes = state.size(),
                                     .begin_unix_ns = header.begin_unix_ns,
                                     .recorded = has_recorded(state)});
            });
        }
        std::vector<Place> all = processes.take();
        for (Place& place : all) {
            const std::int64_t rank = place.first.rank;
            if (!place.first.is_possible_among(all.size())) {
                say(place.first.damage(place.second.path));
                continue;
            }
            if (rank >= 0 && !ranks_.try_emplace(rank, std::move(place)).second) {
                say("rank " + std::to_string(rank) + " occurs in two MPI jobs of this run; only the first is kept");
            }
        }
    }

    /// Describes ranks and clocks. CLOCK_MONOTONIC starts when a host boots, so wall clocks give the offsets between
    /// hosts.
    void describe_job() {
        if (ranks_.empty()) return;
        const Place& first = ranks_.begin()->second;
        std::uint64_t begin_ns = ~std::uint64_t{0};
        for (const auto& [number, place] : ranks_) {
            const auto& [head, state] = place;
            const auto [host, is_new] = hosts_.try_emplace(head.host, static_cast<std::uint32_t>(hosts_.size()));
            if (is_new) add_host(place, first);
            begin_ns = std::min(begin_ns, head.begin_ns + shifts_ns_[host->second]);
            TraceJob& job = writer_->job();
            job.world_size = std::max(job.world_size, head.world_size);
        }
        for (std::uint64_t& shift : shifts_ns_) shift -= begin_ns;
        if (first.second.begin_unix_ns != 0) {
            writer_->job().begin_unix_ns = first.second.begin_unix_ns + begin_ns - first.first.begin_ns;
        }
    }

    void add_host(const Place& place, const Place& first) {
        HostClock clock{.host = place.first.host};
        std::uint64_t shift_ns = 0;
        if (place.first.host != first.first.host) {
            const auto wall_ns = [](const Place& of) { return of.second.begin_unix_ns - of.first.begin_ns; };
            clock.method = "wall clocks";
            shift_ns = wall_ns(place) - wall_ns(first);
        }
        shifts_ns_.push_back(shift_ns);
        writer_->job().hosts.push_back(std::move(clock));
    }

    void write_rank(const Place& place) {
        const std::string bytes = bytes_at(place.second);
        const RecordedProcess process = recorded_process(bytes);
        TraceJob& job = writer_->job();
        if (job.library.empty()) job.library = text_of(process.header.library);
        const std::uint32_t host = hosts_.at(place.first.host);
        job.ranks.push_back({.rank = place.first.rank,
                             .host = host,
                             .objects = objects_.adopt(process),
                             .begin_ns = 0,
                             .end_ns = 0,
                             .ending = place.first.ending,
                             .dropped_calls = 0});
        const TraceClock clock(process.header, shifts_ns_[host]);
        ProcessBuffers buffers = calls_.take(process.header.pid, process.header.process_start);
        for (const auto& [thread, stream] : process.streams) {
            buffers.try_emplace(thread);
            job.ranks.back().dropped_calls += stream.record.dropped_calls + stream.record.lost_calls;
            summary_.lost_calls += stream.record.lost_calls;
            lost_by_[stream.record.lost_reason] += stream.record.lost_calls;
        }
        RecordedSignatures signatures(process, *writer_);
        damaged_ = missing_ = 0;
        for (const auto& [thread, list] : buffers) write_stream(process, thread, list, signatures, clock);
        summary_.dropped_calls += job.ranks.back().dropped_calls;
        const std::string rank = "rank " + std::to_string(place.first.rank);
        if (missing_ > 0) say(rank + ": " + counted(missing_, "buffer") + " of its calls missing");
        if (const std::uint64_t lists = process.header.lost_lists; lists > 0) {
            say(rank + ": " + counted(lists, "list") + " of requests, completions or sizes had no room and " +
                (lists == 1 ? "is" : "are") + " missing in its calls");
        }
        if (const std::uint64_t others = process.header.other_objects; others > 0) {
            say(rank + ": " + counted(others, "communicator, window or file", "communicators, windows or files") +
                " beyond the 16,384 that a trace distinguishes; calls on " + (others == 1 ? "it" : "them") +
                " do not say which");
        }
        if (damaged_ > 0) say(rank + ": " + counted(damaged_, "buffer") + " of its calls damaged");
    }

    void write_stream(const RecordedProcess& process, std::uint32_t thread, const std::vector<CallsBuffer>& buffers,
                      RecordedSignatures& signatures, const TraceClock& clock) {
        writer_->begin_stream(process.header.world_rank, thread);
        signatures.begin_stream();
        RecordedCalls calls(signatures, clock, *writer_);
        const auto take = [&](std::string_view bytes, std::uint64_t begin_ticks) {
            try {
                calls.read(bytes, begin_ticks);
            } catch (const Error&) {
                ++damaged_;
            }
        };
        std::uint64_t next = 0;
        const auto skip_to = [&](std::uint64_t sequence) {
            missing_ += difference(sequence, next);
            next = sequence + 1;
        };
        for (const CallsBuffer& buffer : buffers) {
            const std::optional<std::string> bytes = calls_.read(buffer);
            if (!bytes) continue;  // The state may still contain the buffer; otherwise it is lost.
            skip_to(buffer.sequence);
            take(*bytes, buffer.begin_ticks);
        }
        const auto left = process.streams.find(thread);
        if (left != process.streams.end()) {
            const state::TraceStreamRecord& record = left->second.record;
            if (record.sequence >= next) {
                skip_to(record.sequence);
                take(left->second.bytes, record.begin_ticks);
            }
            if (record.polls > 0) take_polls(record, calls);
            if (record.dropped_calls + record.lost_calls == 0) take_unfinished(process, thread, calls);
        }
        summary_.calls += calls.calls();
        ++summary_.streams;
    }

    void take_polls(const state::TraceStreamRecord& record, RecordedCalls& calls) {
        try {
            calls.add_polls(record.polls_signature, record.polls, record.polls_begin_ticks,
                            std::max(record.polls_end_ticks, record.polls_begin_ticks), record.polls_ticks);
        } catch (const Error&) {
            ++damaged_;
        }
    }

    static void take_unfinished(const RecordedProcess& process, std::uint32_t thread, RecordedCalls& calls) {
        const auto end = process.ends.find(thread);
        if (ending_of(process.header.phase) != Ending::killed || end == process.ends.end()) return;
        const auto [function, begin_ticks] = end->second;
        if (function == 0 || begin_ticks == 0) return;
        calls.add_unfinished(function, begin_ticks, std::max(process.header.end.ticks, begin_ticks));
    }

    void say_what_was_lost() {
        for (const auto& [reason, calls] : lost_by_) {
            if (calls > 0)
                say(counted(calls, "call") + (calls == 1 ? " is" : " are") + " missing: " + why_lost(reason));
        }
    }

    /// Sentences on ranks without a trace, killed ranks and dropped calls, which the profile or the summary's numbers
    /// also show.
    [[nodiscard]] std::vector<std::string> what_is_missing() const {
        std::vector<std::string> lost;
        std::vector<std::int64_t> missing;
        std::int64_t expected = 0;
        for (const auto& [number, place] : ranks_) {
            while (expected < number) missing.push_back(expected++);
            expected = number + 1;
            if (!place.second.recorded) missing.push_back(number);
        }
        while (expected < writer_->job().world_size) missing.push_back(expected++);
        if (!missing.empty()) lost.push_back(named(missing) + " left no trace");
        std::vector<std::int64_t> killed;
        for (const auto& [number, place] : ranks_) {
            if (place.first.ending == Ending::killed) killed.push_back(number);
        }
        if (!killed.empty()) {
            lost.push_back(named(killed) + " ended before MPI_Finalize; the trace holds what came before");
        }
        const std::uint64_t outside = summary_.dropped_calls - summary_.lost_calls;
        if (outside > 0) lost.push_back(counted(outside, "call") + " dropped: outside the requested part");
        return lost;
    }

    TraceSummary& summary_;
    CallsFiles calls_;
    std::map<std::int64_t, Place> ranks_;
    std::map<std::string, std::uint32_t> hosts_;
    std::map<std::uint64_t, std::uint64_t> lost_by_;  ///< calls by TraceStreamRecord::lost_reason
    /// by host: offset from its CLOCK_MONOTONIC to the trace's time, modulo 2^64
    std::vector<std::uint64_t> shifts_ns_;
    RecordedObjects objects_;
    TraceWriter* writer_ = nullptr;
    std::size_t damaged_ = 0;
    std::size_t missing_ = 0;
};

}  // namespace

TraceSummary merge_recordings(const std::vector<std::string>& states, const std::vector<std::string>& calls,
                              const std::string& path, const NamePlaces& name_places) {
    TraceSummary summary;
    Merge merge(states, calls, summary);
    if (!summary.recorded) return summary;
    make_directory(std::filesystem::path(path).parent_path());
    merge.write(path, name_places);
    return summary;
}

}  // namespace waywiser::trace
