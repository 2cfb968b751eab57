#include "place/boundary_moves.hpp"

#include <algorithm>
#include <array>

namespace waywiser::place {
namespace {

/// Vertices by gain, the largest first; each can be removed, and its gain can change.
class Queue {
public:
    explicit Queue(std::vector<double>& gain, std::vector<std::uint32_t>& place) : gain_(gain), place_(place) {}

    [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
    [[nodiscard]] std::uint32_t top() const noexcept { return heap_.front(); }
    [[nodiscard]] bool holds(std::uint32_t vertex) const noexcept {
        return place_[vertex] < heap_.size() && heap_[place_[vertex]] == vertex;
    }
    void clear() { heap_.clear(); }
    void push(std::uint32_t vertex) {
        heap_.push_back(vertex);
        up(static_cast<std::uint32_t>(heap_.size() - 1), vertex);
    }
    void remove(std::uint32_t vertex) {
        const std::uint32_t hole = place_[vertex];
        const std::uint32_t last = heap_.back();
        heap_.pop_back();
        if (hole < heap_.size()) settle(hole, last);
        place_[vertex] = kNone;
    }
    void changed(std::uint32_t vertex) { settle(place_[vertex], vertex); }

private:
    void settle(std::uint32_t hole, std::uint32_t vertex) {
        if (hole > 0 && gain_[heap_[(hole - 1) / 2]] < gain_[vertex]) {
            up(hole, vertex);
        } else {
            down(hole, vertex);
        }
    }
    void up(std::uint32_t hole, std::uint32_t vertex) {
        while (hole > 0 && gain_[heap_[(hole - 1) / 2]] < gain_[vertex]) {
            put(hole, heap_[(hole - 1) / 2]);
            hole = (hole - 1) / 2;
        }
        put(hole, vertex);
    }
    void down(std::uint32_t hole, std::uint32_t vertex) {
        for (;;) {
            std::uint32_t child = 2 * hole + 1;
            if (child >= heap_.size()) break;
            if (child + 1 < heap_.size() && gain_[heap_[child + 1]] > gain_[heap_[child]]) ++child;
            if (gain_[heap_[child]] <= gain_[vertex]) break;
            put(hole, heap_[child]);
            hole = child;
        }
        put(hole, vertex);
    }
    void put(std::uint32_t hole, std::uint32_t vertex) {
        heap_[hole] = vertex;
        place_[vertex] = hole;
    }

    std::vector<std::uint32_t> heap_;
    std::vector<double>& gain_;
    std::vector<std::uint32_t>& place_;
};

class Mover {
public:
    Mover(const Graph& graph, std::span<const double> pull, PartSizes sizes, std::int64_t slack,
          std::vector<std::uint8_t>& part)
        : graph_(graph),
          pull_(pull),
          sizes_(sizes),
          slack_(slack),
          part_(part),
          gain_(graph.count()),
          place_(graph.count(), kNone),
          locked_(graph.count()) {
        for (std::uint32_t vertex = 0; vertex < graph.count(); ++vertex) {
            if (part[vertex] == 0) first_size_ += graph.size[vertex];
        }
    }

    double pass() {
        start();
        const std::size_t patience = 32 + graph_.count() / 32;
        double gained = 0;
        double best = 0;
        std::int64_t best_off = off();
        std::size_t kept = 0;
        while (moved_.size() < kept + patience) {
            const std::uint32_t vertex = next();
            if (vertex == kNone) break;
            gained += gain_[vertex];
            move(vertex);
            if (off() < best_off || (off() == best_off && gained > best + 1e-9 * std::abs(best))) {
                best = gained;
                best_off = off();
                kept = moved_.size();
            }
        }
        for (std::size_t i = moved_.size(); i-- > kept;) put_back(moved_[i]);
        return best;
    }

    /// Number of vertices by which the first part is too large or too small.
    [[nodiscard]] std::int64_t off() const noexcept {
        return std::max({std::int64_t{0}, sizes_.least - first_size_, first_size_ - sizes_.most});
    }

private:
    void start() {
        moved_.clear();
        std::ranges::fill(locked_, std::uint8_t{0});
        queue_[0].clear();
        queue_[1].clear();
        std::ranges::fill(place_, kNone);
        for (std::uint32_t vertex = 0; vertex < graph_.count(); ++vertex) {
            bool boundary = false;
            double gain = 0;
            for (const auto& [to, weight] : graph_.of(vertex)) {
                const bool cut = part_[to] != part_[vertex];
                gain += cut ? weight : -weight;
                boundary = boundary || cut;
            }
            if (!pull_.empty()) gain += part_[vertex] == 0 ? -pull_[vertex] : pull_[vertex];
            gain_[vertex] = gain;
            if (boundary || gain >= 0) queue_[part_[vertex]].push(vertex);
        }
    }

    /// The vertex with the largest gain among the moves that sizes permit.
    std::uint32_t next() {
        const bool from_first = first_size_ > sizes_.least - slack_;
        const bool from_second = first_size_ < sizes_.most + slack_;
        if (from_first != from_second && queue_[from_second ? 1 : 0].empty()) fill(from_second ? 1 : 0);
        const std::uint32_t first = from_first && !queue_[0].empty() ? queue_[0].top() : kNone;
        const std::uint32_t second = from_second && !queue_[1].empty() ? queue_[1].top() : kNone;
        if (first == kNone || second == kNone) return first == kNone ? second : first;
        if (gain_[first] != gain_[second]) return gain_[first] > gain_[second] ? first : second;
        return 2 * first_size_ >= sizes_.least + sizes_.most ? first : second;
    }

    /// Adds inner vertices if no other vertex can restore the balance.
    void fill(std::uint8_t from) {
        for (std::uint32_t vertex = 0; vertex < graph_.count(); ++vertex) {
            if (part_[vertex] == from && locked_[vertex] == 0 && place_[vertex] == kNone) queue_[from].push(vertex);
        }
    }

    void move(std::uint32_t vertex) {
        const std::uint8_t from = part_[vertex];
        queue_[from].remove(vertex);
        locked_[vertex] = 1;
        moved_.push_back(vertex);
        put_back(vertex);
        for (const auto& [to, weight] : graph_.of(vertex)) {
            if (locked_[to] != 0) continue;
            gain_[to] += part_[to] == from ? 2 * static_cast<double>(weight) : -2 * static_cast<double>(weight);
            Queue& queue = queue_[part_[to]];
            if (place_[to] != kNone) {
                queue.changed(to);
            } else {
                queue.push(to);
            }
        }
    }

    void put_back(std::uint32_t vertex) {
        const std::int64_t size = graph_.size[vertex];
        first_size_ += part_[vertex] == 0 ? -size : size;
        part_[vertex] ^= 1U;
    }

    const Graph& graph_;
    std::span<const double> pull_;
    PartSizes sizes_;
    std::int64_t slack_;
    std::vector<std::uint8_t>& part_;
    std::int64_t first_size_ = 0;
    std::vector<double> gain_;
    std::vector<std::uint32_t> place_;
    std::vector<std::uint8_t> locked_;
    std::vector<std::uint32_t> moved_;
    std::array<Queue, 2> queue_{Queue(gain_, place_), Queue(gain_, place_)};
};

}  // namespace

double improve_cut(const Graph& graph, std::span<const double> pull, PartSizes sizes, std::int64_t slack,
                   std::vector<std::uint8_t>& part) {
    constexpr int kPasses = 12;
    Mover mover(graph, pull, sizes, slack, part);
    double gained = 0;
    for (int i = 0; i < kPasses; ++i) {
        const std::int64_t off = mover.off();
        const double gain = mover.pass();
        gained += gain;
        if (gain <= 0 && mover.off() >= off) break;
    }
    return gained;
}

double cut_cost(const Graph& graph, std::span<const double> pull, const std::vector<std::uint8_t>& part) {
    double cost = 0;
    for (std::uint32_t vertex = 0; vertex < graph.count(); ++vertex) {
        for (const auto& [to, weight] : graph.of(vertex)) {
            if (to > vertex && part[to] != part[vertex]) cost += weight;
        }
        if (!pull.empty() && part[vertex] == 1) cost += pull[vertex];
    }
    return cost;
}

}  // namespace waywiser::place
