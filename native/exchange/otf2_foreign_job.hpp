/// The job of an OTF2 trace that another tool wrote: its processes, their threads and their communication objects.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "exchange/otf2_definitions.hpp"
#include "exchange/otf2_foreign_stream.hpp"
#include "trace/writing/trace_writer.hpp"

namespace waywiser::exchange::otf2 {

/// The entry in `lost` for a thread whose events end too early.
[[nodiscard]] std::string damaged_after(std::int64_t rank, std::uint32_t thread, std::uint64_t calls);

struct ForeignThread {
    Location location;
    std::int64_t rank;
    std::uint32_t thread;
    std::uint64_t events;
};

class ForeignJob : public ForeignObjects {
public:
    ForeignJob(const Definitions& definitions, std::string creator, trace::TraceWriter& writer);

    /// Threads by rank, each rank's master first.
    [[nodiscard]] const std::vector<ForeignThread>& threads() const { return threads_; }
    [[nodiscard]] std::vector<Location> locations() const;

    /// Starts a thread, to which the following calls belong.
    [[nodiscard]] ForeignStream& begin(const ForeignThread& thread);

    /// \param whole  false if the file of its events is damaged
    void end(bool whole);

    /// Passes the collected data to the writer.
    /// \return number of calls
    std::uint64_t finish();

    [[nodiscard]] const ForeignRegion* region(Ref ref) const override;
    [[nodiscard]] std::uint32_t function(const std::string& name) override { return writer_.function(name); }
    [[nodiscard]] std::int32_t communicator(Ref ref) override;
    [[nodiscard]] std::int32_t window(Ref ref) override;
    [[nodiscard]] std::uint64_t processes(Ref comm) const override;
    [[nodiscard]] bool counts_destinations() const override { return counts_destinations_; }

private:
    void find_ranks();
    void list_ranks();
    void note_losses();
    [[nodiscard]] std::uint32_t host_of(Ref group);
    [[nodiscard]] std::vector<trace::Stride> members(Ref group) const;
    [[nodiscard]] std::int32_t number_of(const trace::TraceObject& object);
    [[nodiscard]] trace::TraceObject communicator_object(Ref ref, const Comm& comm) const;

    const Definitions& definitions_;
    std::string creator_;
    trace::TraceWriter& writer_;
    bool counts_destinations_;
    std::map<Ref, std::int64_t> rank_of_group_;  ///< rank by location group
    std::vector<Location> masters_;              ///< indexed by rank
    std::vector<ForeignThread> threads_;
    std::unordered_map<Ref, ForeignRegion> regions_;
    std::vector<std::map<std::uint32_t, std::int32_t>> numbers_;  ///< numbers of the job's objects on each rank
    std::unordered_map<Ref, std::int32_t> communicators_;  ///< communicators of the current rank by OTF2's numbers
    std::unordered_map<Ref, std::int32_t> windows_;        ///< windows of the current rank by OTF2's numbers
    std::unique_ptr<ForeignStream> stream_;
    /// OTF2 does not record how the threads of a rank share requests, so each thread has its own numbers.
    std::int32_t next_request_ = 0;
    ForeignThread present_{.location = 0, .rank = -1, .thread = 0, .events = 0};
    ForeignStream::Counts counts_;
};

}  // namespace waywiser::exchange::otf2
