/// What a kernel's program has measured: printed, written and judged as it comes.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/common/sample.hpp"
#include "workloads/common/threads.hpp"

#include <cstdio>
#include <optional>
#include <string>

namespace waywiser {

/// Results of all ranks, which are told the same; rank 0 prints.
class Results {
public:
    /// Collective. \throws InvalidInput  on all ranks, if the file of samples cannot be written
    Results(std::string workload, const std::string& json, const Ranks& ranks)
        : workload_(std::move(workload)), ranks_(ranks), lines_(open_samples(json, ranks)) {}

    void say(const std::string& text) const {
        if (ranks_.rank == 0) std::fputs(text.c_str(), stdout);
    }

    /// One line and one sample. Of what was measured, `failure` is why it is not verified, or empty; `row` and `sample`
    /// are what is left of it: workload, ranks and threads of the sample follow.
    template <class Measured>
    void add(const Measured& measured) {
        const std::string why = failure(measured);
        verified_ = verified_ && why.empty();
        if (ranks_.rank != 0) return;
        say(row(measured));
        Sample one = sample(measured);
        one.workload = workload_;
        one.ranks = ranks_.count;
        one.threads = thread_limit();
        if (lines_) lines_->write(to_json(one));
        if (!why.empty() && said_.empty()) said_ = one.phase + ", " + one.variant + ": " + why;
    }

    /// The last line, and the exit code of the program.
    /// \param unchecked  why nothing could be compared with the truth, or empty
    [[nodiscard]] ExitCode end(const std::string& unchecked = "") const {
        if (!verified_) {
            say("NOT VERIFIED: " + said_ + "\n");
        } else {
            say(unchecked.empty() ? "verified\n" : "not checked: " + unchecked + "\n");
        }
        return verified_ ? success : unverified;
    }

private:
    std::string workload_;
    Ranks ranks_;
    std::optional<JsonLines> lines_;
    bool verified_ = true;
    std::string said_;  ///< of the first that is not verified
};

}  // namespace waywiser
