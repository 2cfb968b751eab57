/// The waits of calls once they end: the kind of each wait, its cause, and the continuation of the critical path.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "explain/delays.hpp"
#include "explain/needs.hpp"

namespace waywiser::explain {

class EndedWaits {
public:
    /// The event that ended the wait of a call.
    struct Ended {
        Wait wait;
        std::uint64_t ns;
        std::uint32_t awaited;
        std::uint64_t call;
        const PathPoint* point;
        const Need* need;
        bool counts;  ///< the time counts as waiting; MPI_Finalize ends all chains, but is not measured
    };

    EndedWaits(Reading& reading, InFlight& in_flight, Needs& needs, const Synchronisations& synchronisations,
               CriticalPaths& paths, Delays& delays, WaitSums& sums, WaitingPairs& pairs, Omissions& omissions)
        : reading_(reading),
          messages_(in_flight.messages),
          groups_(in_flight.groups),
          unlocks_(in_flight.unlocks),
          needs_(needs),
          synchronisations_(synchronisations),
          paths_(paths),
          delays_(delays),
          sums_(sums),
          pairs_(pairs),
          omissions_(omissions) {}

    /// The last event that the call needed; none if the call did not wait.
    [[nodiscard]] std::optional<Ended> what_ended(const Stream& stream);

    /// Records that the call waited until this event.
    void count(Stream& stream, const Ended& ended);

private:
    [[nodiscard]] static Ended ended_by(const Arrival& arrival, Wait wait, const Need& need);
    [[nodiscard]] bool came_in_time(const Stream& root, const Arrival& arrival) const;
    void add(Stream& stream, const Ended& ended);

    Reading& reading_;
    Matching& messages_;
    std::vector<Group>& groups_;
    std::map<std::uint32_t, LockOrder>& unlocks_;
    Needs& needs_;
    const Synchronisations& synchronisations_;
    CriticalPaths& paths_;
    Delays& delays_;
    WaitSums& sums_;
    WaitingPairs& pairs_;
    Omissions& omissions_;
};

}  // namespace waywiser::explain
