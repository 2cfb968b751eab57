/// The results of a replay. Times in nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace waywiser::simulate {

/// A time is the sum of its parts: end = begin + compute + mpi, mpi = waiting + transfer + overhead.
struct RankTimes {
    std::int64_t rank = 0;
    double begin_ns = 0;  ///< of the first call, less the computing before it
    double end_ns = 0;
    double compute_ns = 0;
    double mpi_ns = 0;
    double waiting_ns = 0;   ///< within calls, before the partner came
    double transfer_ns = 0;  ///< within calls, since then
    double overhead_ns = 0;  ///< the processor at work in calls, and calls without partners
};

struct FunctionTimes {
    std::string name;
    std::uint64_t calls = 0;
    double ns = 0;  ///< all ranks together
    double waiting_ns = 0;
};

/// The chain of computing and messages that ends last, by components; the sum is the makespan.
struct CriticalPath {
    double compute_ns = 0;   ///< and recorded calls that are not replayed
    double overhead_ns = 0;  ///< o and O
    double latency_ns = 0;   ///< L
    double transfer_ns = 0;  ///< G and g
};

/// The run as the trace has it.
struct Recorded {
    double makespan_ns = 0;
    double compute_ns = 0;  ///< all ranks together
    double mpi_ns = 0;
};

/// Sharing of links, if the settings have an interconnect. Links as in Network.
struct LinkUse {
    std::vector<double> bytes;         ///< over each link
    std::vector<double> utilisation;   ///< bytes over what it could carry until the end
    double delays_ns = 0;              ///< what messages lost by sharing, all together
    double inner_delays_ns = 0;        ///< of these, messages that a link between switches held up in the end
    std::uint32_t most_to_a_node = 0;  ///< messages under way to one node at once
};

struct Prediction {
    double makespan_ns = 0;
    std::vector<RankTimes> ranks;
    std::vector<FunctionTimes> functions;  ///< longest first
    CriticalPath critical_path;
    Recorded recorded;
    LinkUse links;
    std::uint64_t messages = 0;  ///< including messages of collectives
    std::uint64_t bytes = 0;
    std::string progress;              ///< "asynchronous" or "in calls"
    int threads = 1;                   ///< that were used
    std::vector<std::string> remarks;  ///< one sentence for each thing that was approximated or left out
};

}  // namespace waywiser::simulate
