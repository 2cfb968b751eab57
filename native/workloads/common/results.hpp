/// A workload's measurements, which are printed, written and judged as they arrive.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/common/sample.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/common/version.hpp"

#include <cstdio>
#include <optional>
#include <span>
#include <string>

namespace waywiser {

/// Results of all ranks. Each rank passes the same values, and rank 0 prints.
class Results {
public:
    /// Opens the file of samples. Collective. \throws InvalidInput  on all ranks, if the file of samples cannot be
    /// written
    Results(std::string workload, std::span<const Column> columns, const std::string& json, const Ranks& ranks)
        : workload_(std::move(workload)), columns_(columns), ranks_(ranks), lines_(open_samples(json, ranks)) {}

    void say(const std::string& text) const {
        if (ranks_.rank == 0) std::fputs(text.c_str(), stdout);
    }

    /// Prints the program's version, the description, and the headings of the columns.
    void begin(const std::string& description) const {
        say(report_title("ww-" + workload_) + description + heading(columns_));
    }

    /// Prints a line of the table if the program has a table, and writes a sample with workload, ranks and threads.
    void add(Sample sample) {
        if (sample.is_wrong() && first_failure_.empty()) {
            first_failure_ = sample.phase + ", " + sample.variant + ": " + *sample.failure;
        }
        if (ranks_.rank != 0) return;
        if (!columns_.empty()) say(row(columns_, sample) + (sample.is_wrong() ? "  WRONG\n" : "\n"));
        sample.workload = workload_;
        sample.ranks = ranks_.count;
        sample.threads = thread_limit();
        if (lines_) lines_->write(to_json(sample));
    }

    /// Prints the last line. \return the exit code of the program
    /// \param unchecked  reason why no result could be verified, or empty
    [[nodiscard]] ExitCode end(const std::string& unchecked = "") const {
        say(!first_failure_.empty() ? "NOT VERIFIED: " + first_failure_ + "\n"
            : unchecked.empty()     ? "verified\n"
                                    : "not checked: " + unchecked + "\n");
        return first_failure_.empty() ? success : unverified;
    }

private:
    std::string workload_;
    std::span<const Column> columns_;
    Ranks ranks_;
    std::optional<JsonLines> lines_;
    std::string first_failure_;  ///< failure of the first sample that is not verified
};

}  // namespace waywiser
