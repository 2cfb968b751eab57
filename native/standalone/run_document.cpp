#include "standalone/run_document.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <system_error>

#include "base/json_lines.hpp"
#include "standalone/machine.hpp"
#include "trace/encoding/utf8.hpp"

namespace waywiser::standalone {
namespace fs = std::filesystem;
namespace {

std::string moment(const fs::path& file) {
    std::error_code error;
    const auto written = fs::last_write_time(file, error);
    const std::time_t seconds =
        error ? std::time(nullptr) : std::chrono::system_clock::to_time_t(std::chrono::file_clock::to_sys(written));
    char text[32];
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

/// The latest moment at which a rank wrote; ISO 8601 texts of one form sort as their times.
std::string last_moment(const fs::path& parts) {
    std::string latest;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(parts, error)) {
        if (entry.path().extension().string().starts_with(".state")) latest = std::max(latest, moment(entry.path()));
    }
    return latest.empty() ? moment(parts) : latest;
}

/// The user's name from $USER, else the numeric id: a static program cannot query every name service of getpwuid.
std::string user() {
    const char* name = std::getenv("USER");
    return name != nullptr ? trace::valid_utf8(name) : std::to_string(getuid());
}

JsonObject trace_document(const RunDirectory& directory, const trace::TraceSummary& trace) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(directory.trace(), error);
    JsonObject document;
    document.add("calls", trace.calls)
        .add("bytes", error ? 0 : bytes)
        .add("dropped_calls", trace.dropped_calls)
        .add("lost_calls", trace.lost_calls)
        .add("lost", std::span<const std::string>(trace.lost));
    return document;
}

bool whole(const trace::Profile& profile) {
    return static_cast<std::int64_t>(profile.ranks.size()) == profile.world_size &&
           std::ranges::all_of(profile.ranks,
                               [](const trace::RankProfile& rank) { return rank.ending == trace::Ending::finalised; });
}

}  // namespace

std::string run_document(const RunDirectory& directory, const trace::Profile& profile,
                         const trace::TraceSummary& trace) {
    Command command = directory.command();
    for (std::string& word : command.arguments) word = trace::valid_utf8(word);
    if (command.arguments.empty()) command.arguments.emplace_back("unknown");
    JsonObject program;
    program.add("path", command.arguments.front())
        .add("arguments", std::span<const std::string>(command.arguments).subspan(1))
        .add("compiler", "unknown")
        .add("mpi_library", "unknown");
    JsonObject mpi;  // The profile's value is used if it is "unknown" here.
    mpi.add("library", "unknown").add("version", "unknown").add("abi", profile.abi);
    JsonObject run;
    run.add("format", "waywiser-run")
        .add("format_version", 1)
        .add("waywiser", WAYWISER_VERSION)
        .add("status", whole(profile) ? "complete" : "partial")
        .add("command", std::span<const std::string>(command.arguments))
        .add("directory", trace::valid_utf8(command.directory))
        .add("user", user())
        .add("program", program)
        .add("mpi", mpi)
        .add("machine", machine())
        .add("environment", JsonObject{})
        .add("started", moment(directory.parts() / "command"))
        .add("ended", last_moment(directory.parts()));
    if (trace.recorded) run.add("trace", trace_document(directory, trace));
    return run.text();
}

}  // namespace waywiser::standalone
