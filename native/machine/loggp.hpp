/// The cost of a message: LogGPS, with parameters that depend on its size, in nanoseconds.
///
/// Sources: A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, "LogGP: incorporating long messages into the LogP
/// model", SPAA 1995; F. Ino, N. Fujimoto, K. Hagihara, "LogGPS: a parallel computational model for synchronization
/// analysis", PPoPP 2001; T. Hoefler, T. Schneider, A. Lumsdaine, "LogGOPSim: simulating large-scale applications in
/// the LogGOPS model", HPDC 2010 (O).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace waywiser::machine {

/// The cost parameters of messages up to a size.
struct Cost {
    std::optional<std::uint64_t> up_to_bytes;  ///< none: for all longer messages
    double latency_ns = 0;                     ///< L
    double overhead_ns = 0;                    ///< o, of the sender and of the receiver
    double gap_ns = 0;                         ///< g, between the starts of two messages of a sender
    double ns_per_byte = 0;                    ///< G
    double overhead_ns_per_byte = 0;           ///< O
};

/// The cost of one message.
struct Charge {
    bool eager = true;
    double overhead_ns = 0;  ///< o
    double busy_ns = 0;      ///< o + O s: processor time at either end
    double latency_ns = 0;   ///< L; with a rendezvous, the latency of the data
    double transfer_ns = 0;  ///< G s
    double gap_ns = 0;       ///< g
    double overlap_ns = 0;   ///< part of O s that overlaps with the arrival of the bytes
    double request_ns = 0;   ///< rendezvous: overhead of the request and of the grant
    double flight_ns = 0;    ///< rendezvous: latency of the request and of the grant
};

/// The protocol of a message: rendezvous above the eager limit, or as its call demands.
enum class Protocol : std::uint8_t { by_size, eager, rendezvous };

/// Costs of messages between two ranks of a node, or of two nodes.
struct Messages {
    std::vector<Cost> costs;  ///< ordered by size; the last one has no limit
    std::uint64_t eager_limit_bytes = 0;

    /// \throws InvalidInput  with `name` in the message, if the pieces do not cover all sizes, or a cost is negative or
    ///     not finite
    void check(const std::string& name) const;

    [[nodiscard]] Charge charge(std::uint64_t bytes, Protocol protocol = Protocol::by_size) const;

    [[nodiscard]] const Cost& of(std::uint64_t bytes) const {
        for (const Cost& cost : costs) {
            if (!cost.up_to_bytes || bytes <= *cost.up_to_bytes) return cost;
        }
        return costs.back();
    }
};

}  // namespace waywiser::machine
