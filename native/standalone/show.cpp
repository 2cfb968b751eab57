/// ww-show RUN: the functions of a run by time, as a table; for a run that is not merged, the state so far.
///
/// A first look on a node without Python; `waywiser show RUN` and `report RUN` show more.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "standalone/run_directory.hpp"
#include "trace/encoding/profile_file.hpp"

namespace {

using namespace waywiser;

constexpr double kNsPerSecond = 1e9;
constexpr const char* kHelp = R"(Print calls, time and bytes of each MPI function, summed over all ranks.

usage: ww-show RUN

arguments:
  RUN     directory of a run; if it is not merged yet, its state so far is shown

options:
  --help  print this help and exit

`waywiser show RUN` and `waywiser report RUN` show more.
)";

struct Row {
    std::string name;
    std::uint64_t calls = 0;
    std::uint64_t ns = 0;
    std::uint64_t bytes = 0;
    std::uint64_t receive_bytes = 0;
};

/// Sums over ranks and threads, longest first.
std::vector<Row> rows_of(const trace::Profile& profile) {
    std::map<std::string, Row> by_name;
    for (const trace::RankProfile& rank : profile.ranks) {
        for (const trace::ThreadProfile& thread : rank.threads) {
            for (const trace::FunctionProfile& function : thread.functions) {
                Row& row = by_name[function.name];
                row.name = function.name;
                row.calls += function.load.calls;
                row.ns += function.load.ns;
                row.bytes += function.load.bytes;
                row.receive_bytes += function.load.receive_bytes;
            }
        }
    }
    std::vector<Row> rows;
    rows.reserve(by_name.size());
    for (auto& [name, row] : by_name) rows.push_back(std::move(row));
    std::ranges::sort(rows, [](const Row& a, const Row& b) { return std::tie(b.ns, a.name) < std::tie(a.ns, b.name); });
    return rows;
}

void show(const standalone::RunDirectory& directory) {
    const trace::Profile profile =
        exists(directory.profile()) ? trace::read_profile(directory.profile()) : directory.merge(false);
    std::uint64_t longest_ns = 0;
    for (const trace::RankProfile& rank : profile.ranks) longest_ns = std::max(longest_ns, rank.at<"wall_ns">());
    std::printf("%s, %zu of %" PRId64 " ranks, %.3f s\n", profile.library.c_str(), profile.ranks.size(),
                profile.world_size, static_cast<double>(longest_ns) / kNsPerSecond);
    for (const std::string& sentence : profile.lost) std::printf("! %s\n", sentence.c_str());
    std::printf("\n%-32s %14s %14s %20s %20s\n", "function", "calls", "time [s]", "bytes", "receive bytes");
    for (const Row& row : rows_of(profile)) {
        std::printf("%-32s %14" PRIu64 " %14.6f %20" PRIu64 " %20" PRIu64 "\n", row.name.c_str(), row.calls,
                    static_cast<double>(row.ns) / kNsPerSecond, row.bytes, row.receive_bytes);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("waywiser: write it as ww-show RUN, with the directory of a run\n", stderr);
        return 2;
    }
    if (std::string_view(argv[1]) == "--help") {
        std::fputs(kHelp, stdout);
        return 0;
    }
    try {
        show(standalone::RunDirectory(argv[1]));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "waywiser: %s\n", error.what());
        return 2;
    }
    return 0;
}
