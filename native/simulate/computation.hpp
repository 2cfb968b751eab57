/// Computation time of ranks between their calls.
#pragma once

#include <cstdint>

#include "simulate/common.hpp"

namespace waywiser::simulate {

class Computation {
public:
    explicit Computation(Common& common)
        : common_(common),
          adjusts_(!common.factors.empty() || !common.quiet.empty()),
          quiet_(common.settings.noise.exponential == 0) {}

    /// True if each interval takes its recorded time, in proportion to the rank's speed.
    [[nodiscard]] bool is_recorded() const { return quiet_ && !adjusts_ && !common_.settings.early_sends; }

    /// Advances the actor by the computation before its next call. \return the computation time at the recorded speed
    double pass_gap(Actor& actor, std::uint32_t symbol, double recorded_ns) const {
        const std::uint64_t call = actor.calls_before + actor.position;
        const double ns = call > 0 && !adjusts_ ? recorded_ns : other_gap_ns(actor, call, symbol, recorded_ns);
        pass(actor, common_.settings.early_sends ? deferred(actor, symbol, ns) : ns);
        return ns;
    }

    void pass(Actor& actor, double recorded_ns) const {
        const double ns = quiet_ ? recorded_ns * actor.scale : disturbed_ns(actor, recorded_ns);
        actor.now.add(ns);
        actor.compute_ns += ns;
    }

private:
    [[nodiscard]] double other_gap_ns(const Actor& actor, std::uint64_t call, std::uint32_t symbol,
                                      double recorded_ns) const;
    [[nodiscard]] static double deferred(Actor& actor, std::uint32_t symbol, double ns);
    [[nodiscard]] double disturbed_ns(Actor& actor, double recorded_ns) const;

    Common& common_;
    bool adjusts_;  ///< computation is adjusted by kind of interval
    bool quiet_;    ///< no noise is added
};

}  // namespace waywiser::simulate
