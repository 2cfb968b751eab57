/// What a kernel's program has measured: printed, written and judged as it comes.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/common/sample.hpp"

#include <cstdio>
#include <optional>
#include <string>

namespace waywiser {

/// Results of all ranks, which are told the same; rank 0 prints.
class Results {
public:
    /// Collective. \throws InvalidInput  on all ranks, if the file of samples cannot be written
    Results(const std::string& json, const Ranks& ranks) : first_(ranks.rank == 0), lines_(open_samples(json, ranks)) {}

    void say(const std::string& text) const {
        if (first_) std::fputs(text.c_str(), stdout);
    }

    /// One line and one sample. Of what was measured, `failure` is why it is not verified, or empty; `row` and `sample`
    /// are what is left of it.
    template <class Measured>
    void add(const Measured& measured) {
        const std::string why = failure(measured);
        verified_ = verified_ && why.empty();
        if (!first_) return;
        say(row(measured));
        const Sample one = sample(measured);
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
    bool first_;
    std::optional<JsonLines> lines_;
    bool verified_ = true;
    std::string said_;  ///< of the first that is not verified
};

/// The body of a kernel's program: prints the help that was asked for, or calls `run(Real{})`, with the float or
/// double of the settings.
template <class Settings, class Run>
ExitCode run_kernel(const Settings& settings, const Ranks& ranks, std::string (*help)(), Run run) {
    if (settings.help) {
        if (ranks.rank == 0) std::fputs(help().c_str(), stdout);
        return success;
    }
    return settings.single() ? run(float{}) : run(double{});
}

}  // namespace waywiser
