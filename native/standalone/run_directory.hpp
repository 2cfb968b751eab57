/// The directory of a run that `ww-exec --run RUN` made: its ranks' data, and their profile.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trace/merging/recording_reader.hpp"
#include "trace/records/profile.hpp"

namespace waywiser::standalone {

/// The command line and the start of the first rank, as `ww-exec --run RUN` recorded them.
struct Command {
    std::string directory;
    std::vector<std::string> arguments;  ///< the program comes first
};

class RunDirectory {
public:
    /// \throws InvalidInput  if there is no such directory
    explicit RunDirectory(std::filesystem::path path);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path parts() const { return path_ / "parts"; }
    [[nodiscard]] std::filesystem::path profile() const { return path_ / "profile.ww"; }
    [[nodiscard]] std::filesystem::path trace() const { return path_ / "trace" / "trace.ww"; }
    [[nodiscard]] std::filesystem::path document() const { return path_ / "run.json"; }

    [[nodiscard]] Command command() const;

    /// Joins the ranks' states: those in this node's memory and those that the nodes have saved.
    /// \throws InvalidInput  if no rank has left data
    [[nodiscard]] trace::Profile merge(bool job_has_ended) const;

    /// Merges the ranks' recordings into a trace; no trace is written if there are none.
    [[nodiscard]] trace::TraceSummary merge_trace() const;

    /// Waits, for a limited time, until every node has saved the data of its killed ranks; a node may be lost.
    void wait_for_collectors() const;

    /// Removes the merged states once the result is on disk. A single rename invalidates them, so that files that
    /// remain after a crash are never merged.
    /// \throws Error  if that fails
    void remove_states() const;

private:
    [[nodiscard]] std::filesystem::path merged() const { return path_ / "parts.merged"; }
    [[nodiscard]] std::filesystem::path live_states(const std::filesystem::path& parts) const;
    void check_not_merged() const;
    void remove_temporaries(const std::filesystem::path& of) const;
    [[nodiscard]] std::vector<std::string> states() const;

    std::filesystem::path path_;
};

}  // namespace waywiser::standalone
