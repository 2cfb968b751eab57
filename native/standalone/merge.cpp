/// ww-merge RUN: merges the data of a run's ranks into RUN/profile.ww and, if they recorded a trace,
/// RUN/trace/trace.ww, and writes RUN/run.json.
///
/// Job scripts call it after the program has ended; `waywiser profile` merges by itself.
#include <cstdio>
#include <exception>
#include <string_view>

#include "base/durable_file.hpp"
#include "base/error.hpp"
#include "base/json_lines.hpp"
#include "standalone/run_directory.hpp"
#include "standalone/run_document.hpp"
#include "trace/encoding/profile_file.hpp"

namespace {

using namespace waywiser;

constexpr const char* kHelp = R"(Merge the data that the ranks of a run have left, after the program has ended.

usage: ww-merge RUN

arguments:
  RUN     directory that `ww-exec --run RUN` was given; its profile.ww, run.json
          and, if the ranks recorded a trace, trace/trace.ww are written

options:
  --help  print this help and exit

`waywiser profile` merges by itself. `ww-show RUN` prints a summary.
)";

/// Merges a run. An interrupted merge can be repeated: the inputs are removed only when all outputs are on disk.
void merge(const standalone::RunDirectory& directory) {
    if (!exists(directory.parts())) {
        directory.remove_states();
        require(!exists(directory.profile()), directory.profile().string() +
                                                  ": is there already; see it with `ww-show " +
                                                  directory.path().string() + "`");
    }
    directory.wait_for_collectors();
    const trace::Profile profile = directory.merge(true);
    const trace::TraceSummary trace = directory.merge_trace();
    trace::write_profile(profile, directory.profile());
    if (!exists(directory.document())) {
        DurableFile document(directory.document());
        document.write(standalone::run_document(directory, profile, trace) + "\n");
        document.publish();
    }
    directory.remove_states();
    for (const std::string& sentence : profile.lost) std::fprintf(stderr, "waywiser: %s\n", sentence.c_str());
    for (const std::string& sentence : trace.lost) std::fprintf(stderr, "waywiser: the trace: %s\n", sentence.c_str());
    std::fprintf(stderr, "waywiser: profiled %zu ranks; see `ww-show %s`\n", profile.ranks.size(),
                 directory.path().c_str());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("waywiser: write it as ww-merge RUN, with the directory that ww-exec --run was given\n", stderr);
        return 2;
    }
    if (std::string_view(argv[1]) == "--help") {
        std::fputs(kHelp, stdout);
        return 0;
    }
    try {
        merge(standalone::RunDirectory(argv[1]));
    } catch (const InvalidInput& error) {
        std::fprintf(stderr, "waywiser: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "waywiser: %s\n", error.what());
        return 1;
    }
    return 0;
}
