/// Reads recordings that are made by hand: whole ones call by call, and damaged ones.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/native/recording_samples.hpp"
#include "trace/merging/recording_reader.hpp"
#include "trace/reading/trace_reader.hpp"

namespace {

using namespace waywiser;
using namespace waywiser::tests;

int failures = 0;

void expect(const std::string& what, const std::string& got, const std::string& expected) {
    if (got == expected) return;
    std::printf("%s:\n%swhere this was expected:\n%s", what.c_str(), got.c_str(), expected.c_str());
    ++failures;
}

class Job {
public:
    explicit Job(std::filesystem::path directory) : directory_(std::move(directory)) {
        std::filesystem::remove_all(directory_);
        std::filesystem::create_directories(directory_);
    }

    void add_state(const std::string& bytes) { write(states_, "state", bytes); }
    void add_calls(const std::string& bytes) { write(calls_, "calls", bytes); }

    trace::TraceSummary merge() const {
        return trace::merge_recordings(states_, calls_, path(), [](const std::vector<trace::CallSite>& sites) {
            return std::vector<std::string>(sites.size(), "solve at cg.c:12");
        });
    }

    [[nodiscard]] std::string path() const { return (directory_ / "trace" / "trace.ww").string(); }

private:
    void write(std::vector<std::string>& files, const std::string& suffix, const std::string& bytes) {
        files.push_back((directory_ / (std::to_string(files.size()) + "." + suffix)).string());
        std::ofstream(files.back(), std::ios::binary) << bytes;
    }

    std::filesystem::path directory_;
    std::vector<std::string> states_;
    std::vector<std::string> calls_;
};

/// Every call of a trace on a line.
std::string text_of(const trace::TraceFile& file) {
    const trace::TraceJob& job = file.job();
    std::ostringstream out;
    for (std::size_t i = 0; i < job.streams.size(); ++i) {
        for (trace::Cursor cursor = file.cursor(i); cursor.next();) {
            const trace::Parameters& p = cursor.parameters();
            const trace::TracedCall& call = cursor.call();
            out << job.streams[i].rank << '.' << job.streams[i].thread << ' ' << job.functions.at(p.function) << ' '
                << call.begin_ns << '-' << call.end_ns;
            if (call.times != 1) out << " x" << call.times << " within " << call.polling_ns;
            if (p.posted != 0) out << " posted " << p.posted;
            if (p.site != 0) out << " from " << job.call_sites.at(p.site - 1).address;
            for (const std::int32_t request : p.requests) out << " request " << request;
            for (const trace::Completion& done : p.completed) out << " done " << done.index;
            out << '\n';
        }
    }
    return out.str();
}

std::string sentences(const std::vector<std::string>& lost) {
    std::string text;
    for (const std::string& sentence : lost) text += sentence + '\n';
    return text;
}

constexpr const char* kDropped = "5 calls dropped: outside the requested part\n";

/// The other rank, on a host that was booted later; it is killed while it sends.
RecordedState killed_rank() {
    RecordedState state;
    state.header.pid = 11;
    state.header.world_size = 2;
    state.header.world_rank = 1;
    state.header.phase = state::Phase::initialised;
    state.header.begin = {.ticks = 100, .monotonic_ns = 100};
    state.header.end = {.ticks = 1'000, .monotonic_ns = 1'000};
    state.header.begin_unix_ns = 1'000'000'005'000'500;  // 500 ns after the other rank
    put(state.header.host, "second");
    state.add_function(1, "MPI_Send");
    state.add(state::Kind::communicator, state::CommunicatorRecord{.id = 4, .fingerprint = 77, .size = 2, .rank = 1});
    state.add(state::Kind::trace_object,
              state::TraceObjectRecord{.id = 0, .kind = 0, .context = 42, .communicator = 4, .own_rank = 1});
    state::TraceKey send;
    send.function = 1;
    send.action = static_cast<std::uint8_t>(trace::Action::send);
    send.object = 0;
    send.peer = 0;
    state.add_signature(0, send);
    state.add(state::Kind::thread,
              state::ThreadRecord{.current = 1, .current_begin_ticks = 600, .first_ticks = 100, .last_ticks = 130});
    state.add_stream({.begin_ticks = 100, .last_ticks = 130}, Entries().call(0, 10, 20).bytes());
    return state;
}

constexpr const char* kFirstRank =
    "0.0 MPI_Recv 10-15 posted 800 from 4711\n"
    "0.0 MPI_Recv 30-50 posted 800 from 4711\n"
    "0.0 MPI_Recv 501-503 posted 8 from 4711\n"
    "0.0 MPI_Test 503-553 x7 within 30 request 3 request 4\n"
    "0.0 MPI_Waitall 555-560 request 3 request 4 done 0\n"
    "0.0 MPI_Test 600-650 x2 within 5 request 3 request 4\n";

void read_whole(const std::string& directory) {
    const RecordedRank first = sample_recording();
    Job job(directory);
    job.add_state(first.state.bytes() + killed_rank().bytes());
    job.add_calls(first.calls);

    const trace::TraceSummary summary = job.merge();

    const trace::TraceFile file(job.path());
    expect("calls", text_of(file), std::string(kFirstRank) + "1.0 MPI_Send 510-530\n1.0 MPI_Send 1000-1400\n");
    const trace::TraceJob& tables = file.job();
    expect("lost", sentences(tables.lost),
           std::string("rank 1 ended before MPI_Finalize; the trace holds what came before\n") + kDropped);
    expect("summary", std::to_string(summary.calls) + " " + std::to_string(summary.dropped_calls), "15 5");
    expect("library", tables.library, "MPICH");
    expect("place", tables.call_sites.at(0).module + " " + tables.call_sites.at(0).place, "/bin/app solve at cg.c:12");
    expect("hosts", tables.hosts.at(0).host + ", " + tables.hosts.at(1).host, "first, second");
    expect("begin", std::to_string(tables.begin_unix_ns), "1000000005000000");
    expect("objects", std::to_string(tables.objects.size()) + " of " + std::to_string(tables.objects.at(0).size),
           "1 of 2");
    expect("members", std::to_string(tables.objects.at(0).members.at(0).count), "2");
    expect("ranks", std::to_string(tables.ranks.at(1).objects.at(0)) + std::to_string(tables.ranks.at(1).host), "01");
}

/// A rank whose state holds a buffer that its file has as well.
void read_twice_kept(const std::string& directory) {
    RecordedRank first = sample_recording();
    first.calls += calls_block(first.state.header, 0, 2, 2'106, Entries().call(2, 4, 10).bytes());
    Job job(directory);
    job.add_state(first.state.bytes());
    job.add_calls(first.calls);

    (void)job.merge();

    expect("a buffer that is there twice", text_of(trace::TraceFile(job.path())), kFirstRank);
}

void read_damaged(const std::string& directory) {
    const RecordedRank first = sample_recording();
    std::string calls = first.calls;
    calls[sizeof(state::CallsHeader)] = '\x7F';  // in the first buffer
    Job job(directory);
    job.add_state(first.state.bytes());
    job.add_calls(calls);

    const trace::TraceSummary summary = job.merge();

    expect("what follows the damage", text_of(trace::TraceFile(job.path())),
           std::string(kFirstRank).substr(std::string(kFirstRank).find("0.0 MPI_Recv 501")));
    expect("lost of the damage", sentences(summary.lost), "rank 0: 1 buffer of its calls missing\n");
    expect("all that is lost", sentences(trace::TraceFile(job.path()).job().lost),
           std::string("rank 1 left no trace\n") + kDropped + sentences(summary.lost));
}

void read_nothing(const std::string& directory) {
    RecordedState untraced;
    untraced.add_function(1, "MPI_Send");
    Job job(directory);
    job.add_state(untraced.bytes());

    const trace::TraceSummary summary = job.merge();

    expect("nothing recorded", summary.recorded || std::filesystem::exists(job.path()) ? "a trace" : "none", "none");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: trace_recordings DIRECTORY\n", stderr);
        return 2;
    }
    const std::string directory = argv[1];
    read_whole(directory + "/whole");
    read_twice_kept(directory + "/twice");
    read_damaged(directory + "/damaged");
    read_nothing(directory + "/nothing");
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
