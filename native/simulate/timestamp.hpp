/// Times, each with the chain that leads to it.
#pragma once

namespace waywiser::simulate {

/// A time, and the chain of computation and messages that leads to it, by parts; the remainder is computation.
///
/// Numbers are stored and loaded in pairs: loading a pair right after storing one of its numbers would stall until the
/// store is in the cache.
class Timestamp {
public:
    [[nodiscard]] double ns() const { return time_and_overhead_[0]; }
    [[nodiscard]] double overhead_ns() const { return time_and_overhead_[1]; }
    [[nodiscard]] double latency_ns() const { return latency_and_transfer_[0]; }
    [[nodiscard]] double transfer_ns() const { return latency_and_transfer_[1]; }

    /// Adds time that belongs to none of the parts.
    void add(double ns) { time_and_overhead_ += Pair{ns, 0}; }

    void add_overhead(double ns) { time_and_overhead_ += Pair{ns, ns}; }

    void add_latency(double ns) {
        time_and_overhead_ += Pair{ns, 0};
        latency_and_transfer_ += Pair{ns, 0};
    }

    void add_transfer(double ns) {
        time_and_overhead_ += Pair{ns, 0};
        latency_and_transfer_ += Pair{0, ns};
    }

private:
    using Pair = double __attribute__((vector_size(16)));

    Pair time_and_overhead_ = {0, 0};
    Pair latency_and_transfer_ = {0, 0};
};

[[nodiscard]] inline Timestamp later(const Timestamp& a, const Timestamp& b) { return b.ns() > a.ns() ? b : a; }

[[nodiscard]] inline Timestamp after_overhead(Timestamp timestamp, double ns) {
    timestamp.add_overhead(ns);
    return timestamp;
}

[[nodiscard]] inline Timestamp after_latency(Timestamp timestamp, double ns) {
    timestamp.add_latency(ns);
    return timestamp;
}

[[nodiscard]] inline Timestamp after_transfer(Timestamp timestamp, double ns) {
    timestamp.add_transfer(ns);
    return timestamp;
}

}  // namespace waywiser::simulate
