#include "place/link_search.hpp"

#include <algorithm>

#include "place/link_loads.hpp"
#include "place/random.hpp"

namespace waywiser::place {
namespace {

double eighth_power(double x) {
    const double x2 = x * x;
    const double x4 = x2 * x2;
    return x4 * x4;
}

/// Loads of links and, with Objective::time, of ranks in one vector, links first.
class LinkSearch {
public:
    LinkSearch(const Pattern& pattern, const Slots& slots, const Options& options, Order& order)
        : pattern_(pattern),
          slots_(slots),
          options_(options),
          by_time_(options.objective == Objective::time),
          order_(order),
          random_(options.seed),
          links_(slots.topology->links().size()),
          held_(slots.count(), kNone) {
        for (std::uint32_t rank = 0; rank < order.size(); ++rank) held_[order[rank]] = rank;
        first_.reserve(order.size() + 1);
        for (std::uint32_t rank = 0; rank < order.size(); ++rank) {
            first_.push_back(received_.size());
            for (const Partner& partner : pattern.partners(rank)) received_.push_back(sent(partner.rank, rank));
        }
        of_cable_.reserve(links_);
        for (const machine::Link& link : slots.topology->links()) of_cable_.push_back(1 / link.cables);
        load_.resize(links_ + (by_time_ ? order.size() : 0));
        change_.resize(load_.size());
        is_touched_.resize(load_.size());
        for (std::uint32_t rank = 0; rank < order.size(); ++rank) count_sent(rank, 1);
        load_ = change_;
        forget();
    }

    void run(std::uint64_t shares) {
        const std::uint64_t round = std::max<std::uint64_t>(256, order_.size() / 2);
        const std::uint64_t end = shares_ + shares;
        for (std::uint64_t step = 0; shares_ < end; ++step) {
            if (step % round == 0) find_busy();
            if (busy_.empty()) return;
            try_one();
        }
    }

private:
    [[nodiscard]] Partner sent(std::uint32_t from, std::uint32_t to) const {
        const auto partners = pattern_.partners(from);
        return *std::ranges::lower_bound(partners, to, {}, &Partner::rank);
    }

    void add(std::size_t resource, double load) {
        if (is_touched_[resource] == 0) touched_.push_back(resource);
        is_touched_[resource] = 1;
        change_[resource] += load;
    }

    /// Adds a rank's traffic to another node, or subtracts it with sign -1.
    void count(std::uint32_t from, std::uint32_t from_node, std::uint32_t to_node, const Partner& partner,
               double sign) {
        const TimeModel& model = options_.model;
        if (by_time_ && partner.messages > 0) {
            const double seconds =
                from_node == to_node
                    ? model.seconds_per_message_inside
                    : model.seconds_per_message + slots_.topology->hops(from_node, to_node) * model.seconds_per_hop;
            add(links_ + from, sign * static_cast<double>(partner.messages) * seconds);
        }
        shares_ += 1;
        if (from_node == to_node || partner.bytes == 0) return;
        route_.clear();
        slots_.topology->route(from_node, to_node, route_);
        const double scale = sign * static_cast<double>(partner.bytes) * (by_time_ ? model.seconds_per_byte : 1);
        for (const auto& [link, part] : route_) add(link, scale * part * of_cable_[link]);
        shares_ += route_.size();
    }

    void count_sent(std::uint32_t rank, double sign) {
        for (const Partner& partner : pattern_.partners(rank)) {
            count(rank, node_of(rank), node_of(partner.rank), partner, sign);
        }
    }

    /// Adds all traffic of a rank, except traffic between two ranks that move together.
    void count_all(std::uint32_t rank, std::uint32_t except, double sign) {
        for (std::size_t i = 0; const Partner& partner : pattern_.partners(rank)) {
            const Partner& back = received_[first_[rank] + i++];
            count(rank, node_of(rank), node_of(partner.rank), partner, sign);
            if (partner.rank != except) count(partner.rank, node_of(partner.rank), node_of(rank), back, sign);
        }
    }

    [[nodiscard]] std::uint32_t node_of(std::uint32_t rank) const { return slots_.node[order_[rank]]; }

    /// Finds the ranks that cause the largest loads.
    void find_busy() {
        busiest_ = *std::ranges::max_element(load_);
        const double busy = 0.9 * busiest_;
        busy_.clear();
        for (std::uint32_t rank = 0; busiest_ > 0 && rank < order_.size(); ++rank) {
            count_sent(rank, 1);
            bool is_busy = false;
            for (const std::size_t resource : touched_) is_busy = is_busy || load_[resource] > busy;
            if (is_busy) busy_.push_back(rank);
            forget();
        }
    }

    void try_one() {
        const std::uint32_t rank = busy_[random_.below(busy_.size())];
        const auto partners = pattern_.partners(rank);
        const std::uint32_t near = random_.below(4) == 0 ? random_.below(slots_.count())
                                                         : order_[partners[random_.below(partners.size())].rank];
        // Slots of a node are mostly consecutive; otherwise, another node's slot serves as well.
        const std::uint32_t around = near + random_.below(2 * kNear + 1);
        const std::uint32_t slot = std::min(around < kNear ? 0 : around - kNear, slots_.count() - 1);
        if (slots_.node[slot] == node_of(rank)) return;

        const std::uint32_t occupant = held_[slot];
        count_both(rank, occupant, -1);
        exchange(rank, occupant, slot);
        count_both(rank, occupant, 1);
        double change = 0;
        for (const std::size_t resource : touched_) {
            change += eighth_power((load_[resource] + change_[resource]) / busiest_) -
                      eighth_power(load_[resource] / busiest_);
        }
        if (change < 0) {
            for (const std::size_t resource : touched_) load_[resource] += change_[resource];
        } else {
            exchange_back(rank, occupant, slot);
        }
        forget();
    }

    void count_both(std::uint32_t rank, std::uint32_t occupant, double sign) {
        count_all(rank, occupant, sign);
        if (occupant != kNone) count_all(occupant, rank, sign);
    }

    void exchange(std::uint32_t rank, std::uint32_t occupant, std::uint32_t slot) {
        left_ = order_[rank];
        held_[left_] = occupant;
        if (occupant != kNone) order_[occupant] = left_;
        held_[slot] = rank;
        order_[rank] = slot;
    }

    void exchange_back(std::uint32_t rank, std::uint32_t occupant, std::uint32_t slot) {
        order_[rank] = left_;
        held_[left_] = rank;
        held_[slot] = occupant;
        if (occupant != kNone) order_[occupant] = slot;
    }

    void forget() {
        for (const std::size_t resource : touched_) {
            change_[resource] = 0;
            is_touched_[resource] = 0;
        }
        touched_.clear();
    }

    static constexpr std::uint32_t kNear = 16;

    const Pattern& pattern_;
    const Slots& slots_;
    const Options& options_;
    bool by_time_;
    Order& order_;
    Random random_;
    std::size_t links_;
    std::vector<std::uint32_t> held_;   // rank by slot
    std::vector<std::uint64_t> first_;  // first entry of each rank in received_
    std::vector<Partner> received_;     // traffic from each partner
    std::vector<double> of_cable_;      // by link: load of each of its parallel cables
    std::uint64_t shares_ = 0;          // number of evaluated shares of routes
    std::vector<double> load_;
    std::vector<double> change_;
    std::vector<std::uint8_t> is_touched_;
    std::vector<std::size_t> touched_;  // links whose change may be nonzero
    std::vector<machine::Share> route_;
    std::vector<std::uint32_t> busy_;
    double busiest_ = 0;
    std::uint32_t left_ = 0;
};

}  // namespace

void improve_links(const Pattern& pattern, const Slots& slots, const Options& options, std::uint64_t shares,
                   Order& order) {
    if (order.size() > 1) LinkSearch(pattern, slots, options, order).run(shares);
}

}  // namespace waywiser::place
