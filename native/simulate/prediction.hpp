/// The results of a replay, with times in nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace waywiser::simulate {

/// A time is the sum of its parts: end = begin + compute + mpi, mpi = waiting + transfer + overhead.
struct RankTimes {
    std::int64_t rank = 0;
    double begin_ns = 0;  ///< start of the first call, less the computation before it
    double end_ns = 0;
    double compute_ns = 0;
    double mpi_ns = 0;
    double waiting_ns = 0;   ///< within calls, before the partner arrived
    double transfer_ns = 0;  ///< within calls, after that
    double overhead_ns = 0;  ///< processor time in calls, and calls without partners
};

struct FunctionTimes {
    std::string name;
    std::uint64_t calls = 0;
    double ns = 0;  ///< sum over all ranks
    double waiting_ns = 0;
};

/// The chain of computation and messages that ends last, by components; the sum is the makespan.
struct CriticalPath {
    double compute_ns = 0;   ///< includes recorded calls that are not replayed
    double overhead_ns = 0;  ///< o and O
    double latency_ns = 0;   ///< L
    double transfer_ns = 0;  ///< G and g
};

/// The run as recorded in the trace.
struct Recorded {
    double makespan_ns = 0;
    double compute_ns = 0;  ///< sum over all ranks
    double mpi_ns = 0;
};

/// Sharing of links, if the settings have an interconnect. Links are numbered as in Network.
struct LinkUse {
    std::vector<double> bytes;         ///< bytes over each link
    std::vector<double> utilisation;   ///< bytes relative to the link's capacity until the end
    double delays_ns = 0;              ///< sum of delays of all messages by sharing
    double inner_delays_ns = 0;        ///< part of messages that a link between switches limited when they completed
    std::uint32_t most_to_a_node = 0;  ///< largest number of simultaneous messages to one node
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
    int threads = 1;                   ///< number of threads that were used
    std::vector<std::string> remarks;  ///< one sentence for each approximation or omission
};

}  // namespace waywiser::simulate
