/// Replays a made trace on one thread and on several, which have to find the same, bit for bit. Under the thread
/// sanitizer also: without a race.
///
/// usage: replay_threads DIRECTORY
#include <cstdio>
#include <string>

#include "simulate/replay.hpp"
#include "tests/native/synthetic_trace.hpp"

namespace {

using namespace waywiser;
using simulate::Prediction;

bool same(const Prediction& a, const Prediction& b) {
    if (a.makespan_ns != b.makespan_ns || a.messages != b.messages || a.remarks != b.remarks ||
        a.ranks.size() != b.ranks.size() || a.functions.size() != b.functions.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.ranks.size(); ++i) {
        if (a.ranks[i].end_ns != b.ranks[i].end_ns || a.ranks[i].waiting_ns != b.ranks[i].waiting_ns ||
            a.ranks[i].transfer_ns != b.ranks[i].transfer_ns) {
            return false;
        }
    }
    for (std::size_t i = 0; i < a.functions.size(); ++i) {
        if (a.functions[i].name != b.functions[i].name || a.functions[i].ns != b.functions[i].ns) return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const std::string path = std::string(argv[1]) + "/made.ww";
    synthetic::write_trace(path, 24, 60);
    const trace::TraceFile file(path);
    struct Case {
        std::uint64_t eager_limit_bytes;
        bool asynchronous;
    };
    int failures = 0;
    for (const Case& one_case : {Case{0, true}, Case{0, false}, Case{std::uint64_t{1} << 40U, true}}) {
        simulate::Settings settings;
        settings.asynchronous = one_case.asynchronous;
        settings.within = settings.between = {
            .costs = {{.up_to_bytes = {}, .latency_ns = 1500, .overhead_ns = 300, .gap_ns = 100, .ns_per_byte = 0.1}},
            .eager_limit_bytes = one_case.eager_limit_bytes};
        settings.threads = 1;
        const Prediction one = simulate::replay(file, settings);
        for (const int threads : {2, 3, 8}) {
            settings.threads = threads;
            const Prediction several = simulate::replay(file, settings);
            if (several.threads == threads && same(one, several)) continue;
            std::fprintf(stderr, "eager limit %llu, progress %s: %d threads find other than one\n",
                         static_cast<unsigned long long>(one_case.eager_limit_bytes), several.progress.c_str(),
                         several.threads);
            ++failures;
        }
    }
    return failures == 0 ? 0 : 1;
}
