/// Rates of flows that share links: max-min fair, exactly, while flows come and go.
#pragma once

#include <algorithm>
#include <array>
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
/// A link has a *level*, the largest rate of its flows: the rate at which the link is full if other links limit some of
/// its flows. A flow is as fast as the lowest level of its links. Levels depend on each other: a changed level is
/// propagated to the links of its flows, until none changes any more. The rates at the end are max-min fair, whatever
/// the order of changes: a link that limits a flow is full, and no flow on it is faster. The changes do end. The lowest
/// of all levels is right as soon as all others were examined, then the next lowest (A. Charny, D. Clark, R. Jain,
/// "Congestion control with explicit rate indication", IEEE ICC 1995). So a change costs what it reaches.
class MaxMin {
public:
    /// \param capacities  capacity of each link, above 0
    /// \param tolerance  largest lag of the level of a link that no flow joins or leaves. Changes then fade nearby, and
    ///     rates are fair to within about this tolerance; no link exceeds its capacity. 0: exact except for rounding
    explicit MaxMin(std::span<const double> capacities, double tolerance = 0);

    /// Returns the flow's number: the most recently freed one, or the smallest that was never used.
    ///
    /// \param route  each link once; must stay in place until the flow is removed
    /// \param most  the largest rate, above 0; the rate of a flow without links
    std::uint32_t add(std::span<const machine::Share> route, double most = std::numeric_limits<double>::infinity());
    void remove(std::uint32_t flow);

    /// Appends links to a flow's route. None of them may be full.
    /// \param route  the flow's present route followed by the new links
    void extend(std::uint32_t flow, std::span<const machine::Share> route);

    // These functions prefetch the data for removing a flow or adding another one on its route. They fetch the flow,
    // then its links, then the flows on these, and then their links.
    void expect(std::uint32_t flow) const noexcept { __builtin_prefetch(&flows_[flow], 1); }
    void expect_links(std::uint32_t flow) const noexcept {
        for (const std::uint32_t link : near_links(flows_[flow])) __builtin_prefetch(&links_[link], 1);
    }
    void expect_links(std::span<const machine::Share> route) const noexcept {
        for (const machine::Share& share : route) __builtin_prefetch(&links_[share.link], 1);
    }
    void expect_met(std::uint32_t flow) const noexcept {
        for (const std::uint32_t link : near_links(flows_[flow])) expect_those_on(links_[link]);
    }
    void expect_met(std::span<const machine::Share> route) const noexcept {
        for (const machine::Share& share : route) expect_those_on(links_[share.link]);
    }
    void expect_links_of_met(std::uint32_t flow) const noexcept {
        for (const std::uint32_t link : near_links(flows_[flow])) expect_links_of_those_on(links_[link]);
    }
    void expect_links_of_met(std::span<const machine::Share> route) const noexcept {
        for (const machine::Share& share : route) expect_links_of_those_on(links_[share.link]);
    }

    struct Change {
        double before = 0;  ///< its former rate; 0: the flow is new
        std::uint32_t flow = 0;
    };

    /// Makes rates right again after flows were added and removed.
    ///
    /// Returns the flows whose rates have changed, new ones among them; valid until the next call.
    std::span<const Change> settle();

    [[nodiscard]] double rate(std::uint32_t flow) const noexcept { return flows_[flow].rate; }
    /// The link that limits the flow; kNone if none does.
    [[nodiscard]] std::uint32_t bottleneck(std::uint32_t flow) const noexcept;

    static constexpr std::uint32_t kNone = ~0U;

private:
    static constexpr double kOpen = std::numeric_limits<double>::infinity();

    /// A cache line holds two flows.
    struct alignas(32) Flow {
        double rate = 0;
        const machine::Share* route = nullptr;
        std::array<std::uint32_t, 2> near = {};  // links of its first hops
        std::uint32_t hops = 0;
        bool present = false;
        bool touched = false;  // true if the flow is in touched_
    };
    struct alignas(64) Link {
        double capacity = 0;
        double level = kOpen;  // kOpen: the link limits no flow
        Crossings crossings;
    };
    static_assert(sizeof(Flow) == 32 && sizeof(Link) == 64);

    [[nodiscard]] static std::span<const std::uint32_t> near_links(const Flow& flow) noexcept {
        return {flow.near.data(), std::min<std::size_t>(flow.near.size(), flow.hops)};
    }
    [[nodiscard]] static std::uint32_t link_of(const Flow& flow, std::size_t hop) noexcept {
        return hop < flow.near.size() ? flow.near[hop] : flow.route[hop].link;
    }
    void expect_those_on(const Link& link) const noexcept {
        for (const std::uint32_t flow : link.crossings.near()) expect(flow);
        link.crossings.expect_far();
    }
    void expect_links_of_those_on(const Link& link) const noexcept {
        for (const std::uint32_t flow : link.crossings.near()) expect_links(flow);
    }
    void cross(std::uint32_t flow, std::size_t hop, double cap);
    void tell(std::uint32_t link);
    [[nodiscard]] double least_but(std::uint32_t flow, std::uint32_t first, std::uint32_t second) const noexcept;
    void cap(std::uint32_t link, std::uint32_t flow, double cap);
    void change(std::uint32_t number, Flow& flow, double rate);
    void mark(std::uint32_t link);
    [[nodiscard]] static bool adjust(Link& link, double slack);
    [[nodiscard]] static double full_level(const Link& link, double parts);

    double slack_;  // 1 minus the tolerance
    std::vector<Flow> flows_;
    std::vector<double> most_;         // largest rates, by flow
    std::vector<std::uint32_t> free_;  // numbers of flows that have left
    StableItems<Link> links_;
    std::vector<std::uint32_t> marked_;    // links whose levels may have to change, in turn
    std::vector<std::uint8_t> is_marked_;  // indexed by link
    std::vector<Change> touched_;          // flows that are new, or whose rate has changed
    std::vector<Change> changed_;
};

}  // namespace waywiser::simulate
