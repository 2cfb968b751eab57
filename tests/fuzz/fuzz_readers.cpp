/// Fuzzes the readers of profiles, states, recordings and traces, and what works on what they return.
///
///     fuzz_readers INPUTS SEED DIRECTORY CORPUS…     fuzz; each CORPUS is a file of the corpus
///     fuzz_readers --text FILE                    a file as text, for the corpus
///
/// Seeds are the tests' samples and the corpus. An input that reaches code which none before it has
/// reached becomes a seed. Readers take files: the input at hand lies in DIRECTORY, and is what to look at
/// after a crash. Built with the address and undefined-behaviour sanitizers; an allocation of more than
/// 256 MB, memory beyond 2 GB, any exception but an Error, and an input that takes a minute are failures.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "exchange/formats.hpp"
#include "explain/decompose.hpp"
#include "explain/waits.hpp"
#include "simulate/replay.hpp"
#include "tests/fuzz/mutate.hpp"
#include "tests/fuzz/sparse_text.hpp"
#include "tests/native/recording_samples.hpp"
#include "tests/native/trace_samples.hpp"
#include "trace/encoding/profile_file.hpp"
#include "trace/encoding/shared_file.hpp"
#include "trace/merging/recording_reader.hpp"
#include "trace/merging/state_merge.hpp"
#include "trace/merging/state_reader.hpp"
#include "trace/reading/trace_reader.hpp"

namespace {

using namespace waywiser;

constexpr unsigned kHang_s = 60;

std::uint8_t reached[std::size_t{1} << 16U];
bool reached_something_new = false;

}  // namespace

extern "C" {

extern const char __executable_start;  // of the linker

/// Called by instrumented code at each of its basic blocks. Wherever the program is loaded, a seed gives the same run.
void __sanitizer_cov_trace_pc() {
    const auto start = reinterpret_cast<std::uintptr_t>(&__executable_start);
    const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - start;
    std::uint8_t& known = reached[(place ^ place >> 16U) & (sizeof reached - 1)];
    if (known == 0) reached_something_new = true;
    known = 1;
}

const char* __asan_default_options() { return "max_allocation_size_mb=256:hard_rss_limit_mb=2048:detect_leaks=0"; }

}  // extern "C"

namespace {

std::string read_file(const std::string& path) {
    const trace::SharedFile file(path);
    require(file.is_open(), path + ": cannot be opened");
    return file.read_all();
}

void write_file(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

constexpr std::int64_t kMostRowsDecomposed = 1 << 16;
constexpr std::size_t kMostStreamsExported = 64;

/// Checks invariants of a reader's result, which hold for any input.
void check(const trace::Profile& profile) {
    std::int64_t before = -1;
    for (const trace::RankProfile& rank : profile.ranks) {
        require(rank.rank > before && rank.rank < trace::kMaxRanks, "ranks are not in order");
        before = rank.rank;
        for (const trace::CollectiveProfile& collective : rank.collectives) {
            require(collective.communicator < profile.communicators.size(), "a communicator dangles");
        }
        for (const trace::CallSiteProfile& site : rank.call_sites) {
            require(site.site < profile.call_sites.size(), "a call site dangles");
        }
        for (const trace::Message& message : rank.messages) {
            require(message.destination >= 0 && message.destination < trace::kMaxRanks, "a destination is no rank");
        }
    }
    require(profile.world_size <= trace::most_ranks(profile.ranks.size()), "more ranks are claimed than can be");
    // Each of many ranks has a row of the matrix, whose length is theirs.
    if (profile.world_size > kMostRowsDecomposed) return;
    (void)explain::decompose(profile, 10'000);
    (void)explain::decompose_in_blocks(profile, 64);
}

constexpr std::uint64_t kMostEventsRead = 20'000;

/// A few bytes may stand for any number of calls: not all of them are read.
void check(const trace::TraceFile& file) {
    const trace::TraceJob& job = file.job();
    std::uint64_t events = 0;
    for (std::size_t i = 0; i < job.streams.size() && events < kMostEventsRead; ++i) {
        std::uint64_t last_ns = 0;
        for (trace::Cursor cursor = file.cursor(i); events < kMostEventsRead && cursor.next(); ++events) {
            const trace::TracedCall& call = cursor.call();
            require(call.begin_ns >= last_ns, "calls are not in order");
            require(call.end_ns >= call.begin_ns, "a call ends before it begins");
            last_ns = call.begin_ns;
            const trace::Parameters& parameters = cursor.parameters();
            require(parameters.function < job.functions.size(), "a function dangles");
            require(parameters.site <= job.call_sites.size(), "a call site dangles");
            require(cursor.signature() < file.signatures(), "a signature dangles");
        }
    }
    for (const trace::TraceRank& rank : job.ranks) {
        require(rank.host < std::max<std::size_t>(job.hosts.size(), 1), "a host dangles");
        for (const std::uint32_t object : rank.objects) require(object < job.objects.size(), "an object dangles");
    }
    require(job.world_size <= trace::most_ranks(job.ranks.size()), "more ranks are claimed than can be");
    if (events == kMostEventsRead) return;
    (void)explain::analyse_waits(file);
    try {
        (void)simulate::replay(file, simulate::Settings{.threads = 1});
    } catch (const InvalidInput&) {  // what is damaged may not come to an end
    }
}

/// In other tools' formats; what none of them can say is refused.
void check_exports(const trace::TraceFile& file, const std::string& path) {
    if (file.job().streams.size() > kMostStreamsExported) return;
    for (const exchange::Format& format : exchange::formats()) {
        try {
            Progress progress;
            format.write(file, path, {}, progress);
        } catch (const InvalidInput&) {
        }
    }
}

/// Calls a block at a time, of half of which more is kept.
void check_blocks(const trace::TraceFile& file) {
    const trace::CallBlocks blocks =
        file.blocks([](const trace::Parameters& parameters) { return parameters.function % 2 == 0; });
    const std::unique_ptr<trace::CallReader> reader = blocks.reader();
    std::uint64_t events = 0;
    trace::BlockOfCalls block;
    for (std::size_t i = 0; i < file.job().streams.size(); ++i) {
        for (std::size_t n = 0; events < kMostEventsRead && reader->read(i, n, block); ++n) {
            const trace::CallSource::List& signatures = blocks.lists()[blocks.list_of(i)];
            for (const trace::BlockOfCalls::Call& call : block.calls) {
                require(!call.is_full() || call.what >> 1U < block.full.size(), "a full call dangles");
                const std::uint32_t symbol = call.is_full() ? block.full[call.what >> 1U].symbol : call.what >> 1U;
                require(symbol < signatures.size() && signatures[symbol] != nullptr, "a call has no signature");
            }
            events += block.calls.size();
        }
    }
}

class Fuzzer {
public:
    Fuzzer(std::string directory, std::uint64_t seed) : directory_(std::move(directory)), chance_(seed) {}

    void add_seed(const std::string& bytes) {
        if (bytes.starts_with(std::string_view(state::kMagic, sizeof state::kMagic))) {
            states_.push_back(bytes);
            try_state(bytes);
        } else if (bytes.starts_with(std::string_view(state::kCallsMagic, sizeof state::kCallsMagic))) {
            calls_.push_back(bytes);
            try_calls(bytes);
        } else if (bytes.starts_with("WWTRAC")) {
            traces_.push_back(bytes);
            try_trace(bytes);
        } else {
            profiles_.push_back(bytes);
            try_profile(bytes);
        }
    }

    void run(long inputs) {
        while (failures_ == 0 && inputs_ < inputs) {
            evolve(profiles_, [&](const std::string& bytes) { try_profile(bytes); }, fuzz::mutate_blocks);
            evolve(traces_, [&](const std::string& bytes) { try_trace(bytes); }, fuzz::mutate_blocks);
            evolve(calls_, [&](const std::string& bytes) { try_calls(bytes); }, fuzz::mutate_calls);
            evolve(states_, [&](const std::string& bytes) { try_state(bytes); }, fuzz::mutate_state);
        }
    }

    [[nodiscard]] int report() const {
        std::printf(
            "%ld inputs, %ld refused, %zu seeds of profiles, %zu of states, %zu of calls and %zu of traces, "
            "%ld places reached, %d failures\n",
            inputs_, refused_, profiles_.size(), states_.size(), calls_.size(), traces_.size(),
            static_cast<long>(std::ranges::count(reached, 1)), failures_);
        return failures_ == 0 ? 0 : 1;
    }

private:
    template <class Try, class Mutate>
    void evolve(std::vector<std::string>& seeds, Try attempt, Mutate mutate) {
        const std::string mutated = mutate(seeds[fuzz::below(chance_, seeds.size())], chance_);
        reached_something_new = false;
        attempt(mutated);
        if (reached_something_new) seeds.push_back(mutated);
    }

    void try_profile(const std::string& bytes) {
        const std::string path = directory_ + "/profile.ww";
        const std::string again = directory_ + "/again.ww";
        attempt(path, bytes, [&] {
            const trace::Profile profile = trace::read_profile(path);
            check(profile);
            trace::write_profile(profile, again);
            if (trace::read_profile(again).ranks.size() != profile.ranks.size()) fail("is written otherwise");
        });
    }

    void try_state(const std::string& bytes) {
        const std::string path = directory_ + "/1.state";
        attempt(path, bytes, [&] {
            check(trace::merge_states({path, path}, true));
            (void)trace::read_states(path);
            merge({path, path}, {directory_ + "/sample.calls"});
        });
    }

    void try_calls(const std::string& bytes) {
        const std::string path = directory_ + "/1.calls";
        attempt(path, bytes, [&] { merge({directory_ + "/sample.state"}, {path}); });
    }

    void try_trace(const std::string& bytes) {
        const std::string path = directory_ + "/trace.ww";
        attempt(path, bytes, [&] {
            const trace::TraceFile file(path);
            check(file);
            check_blocks(file);
            check_exports(file, directory_ + "/exported");
        });
    }

    void merge(const std::vector<std::string>& states, const std::vector<std::string>& calls) {
        const std::string path = directory_ + "/merged.ww";
        const trace::TraceSummary held = trace::merge_recordings(
            states, calls, path,
            [](const std::vector<trace::CallSite>& sites) { return std::vector<std::string>(sites.size()); });
        if (held.recorded) check(trace::TraceFile(path));
    }

    template <class Read>
    void attempt(const std::string& path, const std::string& bytes, Read read) {
        write_file(path, bytes);
        ++inputs_;
        alarm(kHang_s);
        try {
            read();
        } catch (const InvalidInput& error) {
            const std::string message = error.what();
            if (message.find(directory_) == std::string::npos) fail(message);
            ++refused_;
        } catch (const std::exception& error) {
            fail(error.what());
        }
        alarm(0);
    }

    void fail(const std::string& message) {
        std::printf("input %ld: %s (it lies in %s)\n", inputs_, message.c_str(), directory_.c_str());
        ++failures_;
    }

    std::string directory_;
    fuzz::Chance chance_;
    std::vector<std::string> profiles_;
    std::vector<std::string> states_;
    std::vector<std::string> calls_;
    std::vector<std::string> traces_;
    long inputs_ = 0;
    long refused_ = 0;
    int failures_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() == 2 && arguments[0] == "--text") {
        std::fputs(fuzz::to_text(read_file(arguments[1])).c_str(), stdout);
        return 0;
    }
    if (arguments.size() < 3) {
        std::fputs("usage: fuzz_readers INPUTS SEED DIRECTORY CORPUS…, or fuzz_readers --text FILE\n", stderr);
        return 2;
    }
    Fuzzer fuzzer(arguments[2], std::stoull(arguments[1]));
    const std::string sample = arguments[2] + "/sample.ww";
    trace::write_profile(tests::sample_profile(), sample);
    fuzzer.add_seed(read_file(sample));
    fuzzer.add_seed(tests::sample_state().bytes().substr(0, state::kHeaderBytes + tests::sample_state().used()));
    const tests::RecordedRank recording = tests::sample_recording();
    write_file(arguments[2] + "/sample.state", recording.state.bytes());
    write_file(arguments[2] + "/sample.calls", recording.calls);
    fuzzer.add_seed(recording.state.bytes());
    fuzzer.add_seed(recording.calls);
    fuzzer.add_seed(read_file(arguments[2] + "/merged.ww"));
    for (auto file = arguments.begin() + 3; file != arguments.end(); ++file) {
        fuzzer.add_seed(fuzz::from_text(read_file(*file)));
    }
    fuzzer.run(std::stol(arguments[0]));
    return fuzzer.report();
}
