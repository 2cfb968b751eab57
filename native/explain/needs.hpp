/// What calls need of others: whether it is there, who is parked until it is, and what nobody needs any more.
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

    /// Whether it is not there, and may still come.
    [[nodiscard]] bool lacks(const Stream& stream, const Need& need);
    /// Whether what a call may end without was there before its end.
    [[nodiscard]] bool came(const Stream& stream, const Need& need);

    /// Parks the stream until all that the call at hand lacks is there.
    void await(Stream& stream);
    /// What the stream may be parked for is there.
    void met(std::uint32_t stream, Need::Kind kind, std::uint32_t index);
    /// What the call needed is not needed by it any more.
    void leave(const Stream& stream, const Need& need);

    /// Lets streams go on whose needs cannot be met up to the horizon. \return whether there are any
    bool release_those_in_vain(std::uint64_t horizon_ns);
    /// Where nobody can go on, what the earliest needs cannot come: all that was before has been read.
    bool release_earliest();

    /// How far the clocks of two ranks may be apart.
    [[nodiscard]] std::uint64_t tolerance_ns(const Rank& a, const Rank& b) const;
    [[nodiscard]] bool may_synchronise(const Message& message) const { return eager_.may_synchronise(message); }
    /// A standard send that ended before its receive was posted shows that messages of its size are not waited with.
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
    bool incomplete_;  ///< calls are missing in the trace
};

}  // namespace waywiser::explain
