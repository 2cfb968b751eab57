/// Rates of flows that share links: max-min fair, exactly, while flows come and go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/topology.hpp"

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

    /// Returns the flow's number: the smallest that is free, mostly. Each link stands in a route once. Without any, the
    /// rate is infinite.
    std::uint32_t add(std::span<const machine::Share> route);
    void remove(std::uint32_t flow);

    /// Makes rates right again after flows were added and removed.
    ///
    /// Returns the flows whose rates have changed, new ones among them; valid until the next call.
    std::span<const std::uint32_t> settle();

    [[nodiscard]] double rate(std::uint32_t flow) const noexcept { return flows_[flow].rate; }

private:
    static constexpr std::uint32_t kNone = ~0U;

    struct Crossing {
        std::uint32_t link = 0;
        double part = 1;
        std::uint32_t place = 0;  // among the members of the link
    };
    struct Flow {
        std::vector<Crossing> route;
        double rate = 0;
        double rate_before = 0;
        std::uint32_t bottleneck = kNone;
        bool present = false;
        bool open = false;   // stands in open_: its rate is to be found
        bool fixed = false;  // in this filling
    };
    struct Member {
        std::uint32_t flow = 0;
        std::uint32_t crossing = 0;
        double part = 1;
    };
    struct Link {
        double capacity = 0;
        std::vector<Member> members;
        // Of a filling.
        double left = 0;            // capacity that flows do not yet have
        double parts = 0;           // of flows without a rate
        std::uint32_t waiting = 0;  // flows without a rate
        bool involved = false;
        // Of its result.
        bool full = false;
        double highest = 0;
    };

    struct Level {
        double level = 0;  // or below it
        std::uint32_t link = 0;
        bool operator>(const Level& other) const noexcept {
            return level != other.level ? level > other.level : link > other.link;
        }
    };

    void open(std::uint32_t flow);
    void open_bottlenecked(const Flow& about);
    [[nodiscard]] bool fits_in(std::uint32_t flow);
    void involve_links();
    void fill();
    std::size_t fix(std::uint32_t link, double level);
    [[nodiscard]] bool widen();
    [[nodiscard]] bool is_bottleneck(std::uint32_t link, double rate) const noexcept;

    std::vector<Flow> flows_;
    std::vector<std::uint32_t> free_;  // numbers of flows that have left
    double slack_;                     // 1 less the tolerance
    std::vector<Link> links_;
    std::vector<std::uint32_t> open_;
    std::vector<std::uint32_t> involved_;  // links that open flows cross
    std::vector<Level> levels_;            // a heap: at which links are full
    std::vector<std::uint32_t> changed_;
};

}  // namespace waywiser::simulate
