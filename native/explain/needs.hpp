/// Needs of calls: whether they are met, the streams parked until then, and release of data that no call needs any
/// more.
#pragma once

#include <cstdint>

#include "explain/eager_sizes.hpp"
#include "explain/in_flight.hpp"
#include "explain/reading.hpp"
#include "explain/synchronisations.hpp"
#include "explain/tally.hpp"

namespace waywiser::explain {

class Needs {
public:
    Needs(const trace::TraceJob& job, Reading& reading, InFlight& in_flight, CriticalPaths& paths,
          Synchronisations& synchronisations, Omissions& omissions);

    /// True if the need is not met but may still be.
    [[nodiscard]] bool lacks(const Stream& stream, const Need& need);
    /// True if an optional need was met before the call's end.
    [[nodiscard]] bool came(const Stream& stream, const Need& need);

    /// Parks the stream until all needs of its current call are met.
    void await(Stream& stream);
    /// Wakes the stream if it is parked for this need.
    void met(std::uint32_t stream, Need::Kind kind, std::uint32_t index);
    /// Ends the call's use of the need.
    void leave(const Stream& stream, const Need& need);

    /// Releases streams whose needs cannot be met up to the horizon. \return true if there are any
    bool release_those_in_vain(std::uint64_t horizon_ns);
    /// If no stream can continue, unmet needs of the earliest call cannot be met: all earlier calls have been read.
    bool release_earliest();

    /// The largest possible difference between the clocks of two ranks.
    [[nodiscard]] std::uint64_t tolerance_ns(const Rank& a, const Rank& b) const;
    [[nodiscard]] bool may_synchronise(const Message& message) const { return eager_.may_synchronise(message); }
    /// Learns from a standard send that ended before its receive was posted: sends of its size do not wait.
    void learn_eager(const Message& message, std::uint64_t posted_ns);

private:
    [[nodiscard]] bool in_vain(const Stream& stream, const Need& need);
    void release(Stream& stream, Need& need);

    const trace::TraceJob& job_;
    Reading& reading_;
    Matching& messages_;
    std::vector<Group>& groups_;
    CriticalPaths& paths_;
    Synchronisations& synchronisations_;
    Omissions& omissions_;
    EagerSizes eager_;
    bool incomplete_;  ///< calls are missing from the trace
};

}  // namespace waywiser::explain
