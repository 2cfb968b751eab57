/// Rates of flows that share links: max-min fair, exactly, while flows come and go.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/stable_items.hpp"
#include "machine/topology.hpp"
#include "simulate/crossings.hpp"

namespace waywiser::simulate {

/// A flow of rate r takes `part` times r of each link of its route. Rates are max-min fair: none can rise unless one
/// that is as low falls. They are so if and only if every flow has a bottleneck: a full link on which no flow has a
/// higher rate (D. Bertsekas, R. Gallager, "Data Networks", 2nd edition, Prentice Hall 1992, section 6.5.2).
///
/// A change is settled where it matters alone: progressive filling of the flows about it, the others as they are; then
/// whoever is left without a bottleneck joins in, until every flow has one. So rates are exact by what defines them.
class MaxMin {
public:
    /// \param capacities  of each link, above 0
    /// \param tolerance  a link with so much less than its capacity counts as full, and a rate with so much less as
    ///     highest. Then changes die out nearby, and rates are fair to within about that; 0: but for rounding
    explicit MaxMin(std::span<const double> capacities, double tolerance = 0);

    /// Returns the flow's number: the one that was given back last, or the smallest that was never used.
    ///
    /// \param route  each link once; stays where it is until the flow is removed
    /// \param most  what its rate is at most, above 0; it is, without links
    std::uint32_t add(std::span<const machine::Share> route, double most = std::numeric_limits<double>::infinity());
    void remove(std::uint32_t flow);

    /// More links matter to the flow than did so far, none of which is full.
    ///
    /// \param route  that it has, and after it what is new
    void extend(std::uint32_t flow, std::span<const machine::Share> route);

    /// Soon the flow is removed, or one of that route is added.
    void expect(std::uint32_t flow) const noexcept { __builtin_prefetch(&flows_[flow], 1); }
    void expect(std::span<const machine::Share> route) const noexcept {
        for (const machine::Share& share : route) {
            __builtin_prefetch(&links_[share.link], 1);
        }
    }

    [[nodiscard]] std::span<const machine::Share> route(std::uint32_t flow) const noexcept {
        return flows_[flow].route;
    }

    /// Makes rates right again after flows were added and removed.
    ///
    /// Returns the flows whose rates have changed, new ones among them; valid until the next call.
    std::span<const std::uint32_t> settle();

    [[nodiscard]] double rate(std::uint32_t flow) const noexcept { return flows_[flow].rate; }
    /// The link that holds it up; kNone: none does.
    [[nodiscard]] std::uint32_t bottleneck(std::uint32_t flow) const noexcept { return flows_[flow].bottleneck; }

    static constexpr std::uint32_t kNone = ~0U;

private:
    struct alignas(64) Flow {
        double rate = 0;
        double rate_before = 0;
        double most = 0;
        std::span<const machine::Share> route;
        std::uint32_t bottleneck = kNone;  // kNone: what its rate is at most
        std::uint32_t first_hop = 0;       // in hops_
        double cap = 0;                    // also on links that it crosses alone of those that are open
        std::uint32_t capped_by = kNone;
        bool present = false;
        bool fixed = false;  // in this filling
    };
    struct alignas(128) Link {
        double capacity = 0;
        std::uint32_t tally = kNone;  // in tallies_
        Crossings crossings;
    };
    static_assert(sizeof(Flow) == 64 && sizeof(Link) == 128);

    /// What a settlement knows of a link that open flows cross.
    struct Tally {
        std::uint32_t link = 0;
        bool outdated = true;  // of flows on it, more are open than were counted
        // Beside those that are not open, which keep their rates:
        double capacity = 0;
        double highest_kept = 0;
        double lowest_held = 0;  // of those whose bottleneck it is
        // Of open flows:
        double open_parts = 0;
        std::uint32_t open = 0;
        // While rates rise:
        std::uint32_t waiting = 0;  // flows without one
        double parts = 0;           // of these
        double left = 0;            // for these
        double highest = 0;

        [[nodiscard]] double level() const noexcept { return left > 0 ? left / parts : 0; }
    };

    struct Level {
        double level = 0;  // or below it
        std::uint32_t tally = 0;
        bool operator>(const Level& other) const noexcept {
            return level != other.level ? level > other.level : tally > other.tally;
        }
    };

    void open(std::uint32_t flow);
    void open_held(const Link& link);
    void open_faster(const Flow& flow);
    void settle_each();
    [[nodiscard]] bool fits_in(std::uint32_t flow);
    void involve_links(std::size_t from);
    void count(Tally& tally) const;
    void keep(std::uint32_t flow);
    void fill();
    [[nodiscard]] bool cap(Flow& flow) const;
    [[nodiscard]] bool fix_capped(const Tally& tally, double level);
    void fix_all(const Tally& tally, double level);
    void fix(Flow& flow, double level, std::uint32_t bottleneck);
    [[nodiscard]] bool widen();
    [[nodiscard]] bool is_bottleneck(const Tally& tally, double rate) const noexcept;
    [[nodiscard]] double part(const Crossing& crossing) const noexcept {
        return whole_ ? 1 : flows_[crossing.flow].route[crossing.hop].part;
    }

    double slack_;       // 1 less the tolerance
    bool whole_ = true;  // no flow was split so far
    std::vector<Flow> flows_;
    std::vector<std::uint32_t> free_;  // numbers of flows that have left
    StableItems<Link> links_;
    std::vector<std::uint32_t> unhindered_;  // came upon links that were empty, and are as fast as they may be
    std::vector<std::uint32_t> open_;        // their rates are to be found
    std::vector<std::uint8_t> is_open_;      // by flow
    std::vector<std::uint32_t> hops_;        // of open flows, one after the other: tallies of their links
    std::vector<Tally> tallies_;
    std::vector<Level> levels_;  // a heap: at which links are full
    std::vector<std::uint32_t> changed_;
};

}  // namespace waywiser::simulate
