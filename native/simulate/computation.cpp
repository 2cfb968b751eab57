#include "simulate/computation.hpp"

#include <cmath>
#include <utility>

namespace waywiser::simulate {
namespace {

/// A pseudo-random number from 0 to 1 that depends on all arguments.
double chance(std::uint64_t seed, std::uint64_t rank, std::uint64_t number) {
    const std::uint64_t bits = scattered(scattered(scattered(seed) + rank) + number);
    return (static_cast<double>(bits >> 11U) + 0.5) * 0x1p-53;
}

}  // namespace

/// The gap before the first call of a rank, or before a call whose kind of interval does not take its recorded time.
double Computation::other_gap_ns(const Actor& actor, std::uint64_t call, std::uint32_t symbol,
                                 double recorded_ns) const {
    // All clocks start with the first call of all ranks.
    if (call == 0) return static_cast<double>(common_.job.streams[actor.stream].begin_ns - common_.origin_ns);
    const IntervalKind kind = interval_kind(actor.call(), actor.list->plans[symbol].stored->signature.parameters);
    double ns = common_.quiet.empty() ? recorded_ns : common_.quiet[actor.stream].take(kind);
    if (!common_.factors.empty()) {
        const IntervalTimes& factors = common_.factors[actor.rank];
        if (const auto factor = factors.find(kind); factor != factors.end()) ns *= factor->second;
    }
    return ns;
}

/// Defers computation past the following send, for early sends.
double Computation::deferred(Actor& actor, std::uint32_t symbol, double ns) {
    if (actor.calls_before + actor.position == 0) return ns;
    const trace::Action action = actor.list->plans[symbol].stored->signature.parameters.action;
    if (action != trace::Action::send) return ns + std::exchange(actor.deferred_ns, 0.0);
    actor.deferred_ns += ns;
    return 0;
}

/// Scaled computation time, with noise [ns].
double Computation::disturbed_ns(Actor& actor, double recorded_ns) const {
    const double ns = recorded_ns * actor.scale;
    const Noise& noise = common_.settings.noise;
    const auto rank = static_cast<std::uint64_t>(common_.job.ranks[actor.rank].rank);
    const double drawn = chance(noise.seed, rank, actor.intervals++);
    return ns * (1 - noise.exponential * std::log1p(drawn - 1));
}

}  // namespace waywiser::simulate
