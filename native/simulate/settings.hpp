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

/// Delays of the computation between two calls, in proportion to it; reproducible for a seed.
struct Noise {
    double exponential = 0;  ///< mean of an exponential distribution, per time computed
    std::uint64_t seed = 0;
};

struct Settings {
    Messages within;                                 ///< messages between ranks of a node
    Messages between;                                ///< messages between ranks of two nodes
    std::vector<std::int64_t> node_of_rank;          ///< node by world rank; empty: the recorded hosts
    double cpu = 1;                                  ///< speed of computation relative to the recording
    bool balanced = false;                           ///< all ranks compute for the mean time
    bool early_sends = false;                        ///< sends precede the computation before them
    bool join_messages = false;                      ///< consecutive messages to the same rank are joined
    bool no_noise = false;                           ///< no computation takes longer than the median of its repetitions
    bool asynchronous = true;                        ///< handshakes proceed at once; else only within MPI calls
    std::map<std::string, std::string> collectives;  ///< algorithm by collective, such as "allreduce"
    std::string library;                             ///< library whose algorithms the other collectives use
    Noise noise = {};
    std::optional<Interconnect> interconnect;  ///< none: messages do not share links
    bool share_nic = false;                    ///< ranks of a node share its NIC in both directions
    /// 0: as many as are useful. The result is the same for any number. A single thread evaluates the ranks where their
    /// order matters: shared NICs and links, several threads of a rank, cancelled requests, reductions in the switches,
    /// exclusive locks of windows.
    int threads = 0;

    /// \throws InvalidInput  with the name of a wrong setting
    void check() const;
};

}  // namespace waywiser::simulate
