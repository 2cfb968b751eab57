#include "standalone/run_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>

#include "base/durable_file.hpp"
#include "base/error.hpp"
#include "trace/encoding/shared_file.hpp"
#include "trace/merging/state_merge.hpp"

namespace waywiser::standalone {
namespace fs = std::filesystem;
namespace {

bool is_gone(const std::error_code& error) { return error == std::errc::no_such_file_or_directory; }

/// Files of a directory with these endings that have content: a process that has not called MPI has an empty state.
/// \throws Error  if the directory exists but cannot be read: a merge without it would replace its data
std::vector<fs::path> states_in(const fs::path& directory, const std::set<std::string>& endings) {
    std::vector<fs::path> states;
    std::error_code error;
    fs::directory_iterator entry;
    do {
        entry = fs::directory_iterator(directory, error);
    } while (error == std::errc::interrupted);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        if (!endings.contains(entry->path().extension())) continue;
        const std::uintmax_t bytes = entry->file_size(error);
        if (is_gone(error)) {
            error.clear();
        } else if (!error && bytes > 0) {
            states.push_back(entry->path());
        }
    }
    if (error && !is_gone(error)) throw Error(directory.string() + ": cannot be read: " + error.message());
    std::ranges::sort(states);
    return states;
}

}  // namespace

RunDirectory::RunDirectory(fs::path path) : path_(std::move(path)) {
    require(fs::is_directory(path_), path_.string() + ": directory not found; give one that " +
                                         "`ww-exec --run RUN -- PROGRAM` or `waywiser profile -o RUN` has made");
}

Command RunDirectory::command() const {
    std::istringstream file(trace::SharedFile(parts() / "command").read_all());
    Command command;
    std::getline(file, command.directory, '\0');
    for (std::string word; std::getline(file, word, '\0');) command.arguments.push_back(word);
    return command;
}

/// Another user may have made the link, to any directory: only a directory of this user, with a name that ww-exec
/// gives, is read or removed.
fs::path RunDirectory::live_states(const fs::path& parts) const {
    std::error_code error;
    const fs::path directory = fs::read_symlink(parts / "state", error);
    const std::string expected = "waywiser-" + std::to_string(getuid()) + "-";
    struct stat status{};
    const bool own = !error && directory.filename().string().starts_with(expected) &&
                     lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == getuid();
    return own ? directory : fs::path{};
}

/// The states in this node's memory come first, because a collector may be moving them into the run's files.
std::vector<std::string> RunDirectory::states() const {
    std::vector<std::string> paths;
    for (const fs::path& path : states_in(live_states(parts()), {".state"})) paths.push_back(path);
    for (const fs::path& path : states_in(parts(), {".state", ".states", ".copy"})) paths.push_back(path);
    return paths;
}

trace::Profile RunDirectory::merge(bool job_has_ended) const {
    const std::vector<std::string> paths = states();
    require(!paths.empty(), parts().string() + ": no rank has left its state there; was the program started by " +
                                "`ww-exec --run " + path_.string() + " -- PROGRAM`, and does it call MPI?");
    trace::Profile profile = trace::merge_states(paths, job_has_ended);
    if (job_has_ended) check_not_merged();
    return profile;
}

/// Checks that the files still exist, so that the records that were read are complete.
void RunDirectory::check_not_merged() const {
    require(fs::exists(parts()),
            path_.string() + ": another process has merged it meanwhile; see it with `ww-show " + path_.string() + "`");
}

trace::TraceSummary RunDirectory::merge_trace() const {
    std::vector<std::string> calls;
    for (const fs::path& path : states_in(parts(), {".calls"})) calls.push_back(path);
    // `waywiser` resolves call sites with debug information, for which a static program has no means.
    return trace::merge_recordings(states(), calls, trace(), [this](const std::vector<trace::CallSite>& sites) {
        check_not_merged();
        std::vector<std::string> places;
        for (const trace::CallSite& site : sites) places.push_back(site.place);
        return places;
    });
}

void RunDirectory::wait_for_collectors() const {
    constexpr auto kPatience = std::chrono::seconds(2);  // Collectors need milliseconds.
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!states_in(parts(), {".copy"}).empty() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

void RunDirectory::remove_states() const {
    std::error_code error;
    if (fs::exists(parts())) {
        fs::remove_all(merged(), error);
        rename_durably(parts(), merged());
    }
    const fs::path live = live_states(merged());
    if (!live.empty()) fs::remove_all(live, error);
    fs::remove_all(merged(), error);
    for (const fs::path& file : {profile(), trace(), document()}) remove_temporaries(file);
}

/// Removes the temporary files of writers that were killed.
void RunDirectory::remove_temporaries(const fs::path& of) const {
    const std::string begin = of.filename().string() + ".";
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(of.parent_path(), error)) {
        const fs::path& path = entry.path();
        if (path.filename().string().starts_with(begin) && path.extension() == ".tmp") fs::remove(path, error);
    }
}

}  // namespace waywiser::standalone
