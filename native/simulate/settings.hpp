/// The machine and the options of a replay.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "machine/loggp.hpp"
#include "simulate/contention.hpp"

namespace waywiser::simulate {

using machine::Charge;
using machine::Cost;
using machine::Messages;

/// Delays of the computing between two calls, in proportion to it; the same for the same seed.
struct Noise {
    double exponential = 0;  ///< mean of an exponential distribution, per time computed
    std::uint64_t seed = 0;
};

struct Settings {
    Messages within;                                 ///< between ranks of a node
    Messages between;                                ///< between ranks of two nodes
    std::vector<std::int64_t> node_of_rank;          ///< by world rank; empty: the recorded hosts
    double cpu = 1;                                  ///< speed of computation relative to the recording
    bool balanced = false;                           ///< all ranks compute the mean
    bool early_sends = false;                        ///< sends come before the computing that precedes them
    bool join_messages = false;                      ///< messages sent right after each other to a rank are one
    bool no_noise = false;                           ///< no computing takes longer than the median of its repetitions
    bool asynchronous = true;                        ///< handshakes proceed at once; else only within MPI calls
    std::map<std::string, std::string> collectives;  ///< algorithm by collective, as "allreduce"
    std::string library;                             ///< whose algorithms the others use
    Noise noise = {};
    std::optional<Interconnect> interconnect;  ///< none: messages do not get in each other's way
    bool share_nic = false;                    ///< ranks of a node share its NIC, out and in
    /// 0: as many as help. The result is the same for any number. A single thread evaluates the ranks where their order
    /// matters: shared NICs and links, several threads of a rank, cancelled requests, reductions in the switches,
    /// exclusive locks of windows.
    int threads = 0;

    /// \throws InvalidInput  naming what is wrong
    void check() const;
};

}  // namespace waywiser::simulate
