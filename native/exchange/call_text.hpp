/// The parameters of a call as text and world ranks.
#pragma once

#include <string>
#include <vector>

#include "mpi/calls.hpp"
#include "mpi/matching.hpp"

namespace waywiser::exchange {

/// Text of a call site: "solve at cg.c:131", or file and address such as "libsolve.so+0x1a2b".
[[nodiscard]] std::string site_text(const trace::CallSite& site);

/// The text of a job's calls.
class CallText {
public:
    explicit CallText(const trace::TraceJob& job);

    [[nodiscard]] const std::string& function(const trace::Parameters& parameters) const;

    /// `site_text` of the call; empty if the call site is unknown.
    [[nodiscard]] const std::string& site(const trace::Parameters& parameters) const;

    /// The name of the communicator, window or file. Without a name, its kind and its index in the job are used. Empty
    /// if the call has no object.
    /// \param rank  index into TraceJob::ranks
    [[nodiscard]] const std::string& object(std::size_t rank, const trace::Parameters& parameters) const;

    /// \param peer  a rank of the call's object
    /// \return its world rank; a value that is not a rank is returned unchanged
    [[nodiscard]] std::int64_t world_rank(std::size_t rank, const trace::Parameters& parameters,
                                          std::int64_t peer) const;

    [[nodiscard]] const mpi::Groups& groups() const { return groups_; }

private:
    const trace::TraceJob& job_;
    mpi::Groups groups_;
    std::vector<std::string> sites_;
    std::vector<std::string> objects_;
};

}  // namespace waywiser::exchange
