/// Bounds on the clocks of hosts from messages between them: no message arrives before it was sent.
///
/// A message from host a to b bounds the difference of their clocks from one side, a message from b to a from the
/// other. Of the lines difference = offset + drift * time within all bounds, the line farthest from them is taken; its
/// distance is the uncertainty. It is exact if the fastest messages of both directions take equally long.
///
/// Source: Duda, Harrus, Haddad, Bernard: Estimating global time in distributed systems, ICDCS 1987.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "trace/records/trace.hpp"

namespace waywiser::explain {

/// Bounds of one pair of hosts, by bins of time: the tightest bounds of each bin are kept, so that memory is constant.
class ClockBounds {
public:
    /// \param end_ns  end of the trace
    explicit ClockBounds(std::uint64_t end_ns) : bin_ns_(end_ns / kBins + 1) {}

    /// The correction of the second clock, minus that of the first, is no less (no more) than `difference_ns` at
    /// `at_ns`.
    void at_least(std::int64_t difference_ns, std::uint64_t at_ns);
    void at_most(std::int64_t difference_ns, std::uint64_t at_ns);

    struct Line {
        double offset_ns = 0;  ///< offset at time 0
        double drift = 0;
        /// distance to the bounds; negative: no line is within all bounds; infinite: one side is open
        double margin_ns = 0;
    };

    [[nodiscard]] Line line() const;

private:
    static constexpr std::size_t kBins = 64;

    struct Bound {
        bool known = false;
        double difference_ns = 0;
        double at_ns = 0;
    };
    using Bounds = std::array<Bound, kBins>;

    Bound& bin(Bounds& bounds, std::uint64_t at_ns) const { return bounds[std::min(at_ns / bin_ns_, kBins - 1)]; }
    [[nodiscard]] Line line_of(double drift) const;

    std::uint64_t bin_ns_;
    Bounds least_{};
    Bounds most_{};
};

/// Collects bounds from messages and corrects the hosts' clocks.
class ClockEstimate {
public:
    explicit ClockEstimate(const trace::TraceJob& job);

    /// Adds a message that left host `from` at `sent_ns` and was on host `to` at `received_ns`, each by the host's own
    /// clock.
    void message(std::uint32_t from, std::uint64_t sent_ns, std::uint32_t to, std::uint64_t received_ns);

    /// One clock for each host, relative to the first host's. A host without bounds from messages keeps its clock.
    [[nodiscard]] std::vector<trace::HostClock> clocks() const;

private:
    std::vector<trace::HostClock> as_recorded_;
    std::uint64_t end_ns_ = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, ClockBounds> pairs_;  ///< the host with the smaller number first
};

}  // namespace waywiser::explain
