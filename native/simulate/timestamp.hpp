/// Times, each with the chain that leads to it.
#pragma once

namespace waywiser::simulate {

/// A time, and the chain of computation and messages that leads to it, by parts; the remainder is computation.
///
/// Numbers are stored and loaded in pairs: loading a pair right after storing one of its numbers would stall until the
/// store is in the cache.
class Moment {
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

[[nodiscard]] inline Moment later(const Moment& a, const Moment& b) { return b.ns() > a.ns() ? b : a; }

[[nodiscard]] inline Moment after_overhead(Moment moment, double ns) {
    moment.add_overhead(ns);
    return moment;
}

[[nodiscard]] inline Moment after_latency(Moment moment, double ns) {
    moment.add_latency(ns);
    return moment;
}

[[nodiscard]] inline Moment after_transfer(Moment moment, double ns) {
    moment.add_transfer(ns);
    return moment;
}

}  // namespace waywiser::simulate
