/// Collectives as messages: the schedules of native/collectives, simulated on virtual clocks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "collectives/calls.hpp"
#include "collectives/selection.hpp"
#include "virtual/shadow_communicator.hpp"

namespace waywiser::virtual_clocks {

/// One call of a collective.
struct Collective {
    collectives::Collective kind = collectives::Collective::barrier;
    std::string operation;  ///< such as "Allgatherv"
    int root = 0;
    std::uint64_t sent = 0;
    std::uint64_t posted = 0;
    std::vector<std::uint64_t> shares;  ///< as in `collectives::Operation`, if the arguments specify them

    [[nodiscard]] collectives::CallBytes bytes() const { return {.sent = sent, .posted = posted, .shares = shares}; }
};

/// The cost of a message between two ranks of a communicator.
using Charges = std::function<machine::Charge(int from, int to, std::uint64_t bytes)>;

/// The library whose algorithms are simulated; none: the first algorithm of the table.
using Rules = std::optional<collectives::Library>;

/// Simulates this rank's part. Each step exchanges stamps with its partners, and a receiver answers each long message.
/// \throws Lost
void simulate(Clock& clock, ShadowCommunicator& shadow, const Charges& charges, Rules rules, const Collective& call);

/// Simulates a nonblocking collective, whose ranks have exchanged their starts: this rank simulates all ranks.
/// \param starts  start of each rank
/// \return completion time of `rank` [ns]
[[nodiscard]] double simulate_alone(const std::vector<Start>& starts, int rank, const Charges& charges, Rules rules,
                                    const Collective& call);

/// Largest number of steps of all ranks that one rank simulates. Beyond this number, a closed form is used: the latest
/// start, and for each round a message of the schedule's mean size between the ranks 0 and 1.
inline constexpr std::uint64_t kMostStepsAlone = std::uint64_t{1} << 18U;

}  // namespace waywiser::virtual_clocks
