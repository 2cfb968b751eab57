#include "virtual/play.hpp"

#include <algorithm>
#include <deque>
#include <map>

namespace waywiser::virtual_clocks {

using collectives::Algorithm;
using collectives::kNobody;
using collectives::Operation;
using collectives::Step;

namespace {

Operation operation_of(const Collective& call, int ranks) {
    return collectives::operation_of(call.kind, call.operation, ranks, call.root, call.bytes());
}

/// All ranks of a collective on one machine.
class Players {
public:
    Players(const std::vector<Start>& starts, const Charges& charges, const Collective& call) : charges_(charges) {
        const auto ranks = static_cast<int>(starts.size());
        players_.resize(starts.size());
        for (int rank = 0; rank < ranks; ++rank) {
            Player& player = players_[static_cast<std::size_t>(rank)];
            const Start& start = starts[static_cast<std::size_t>(rank)];
            player.clock.now_ns = start.now_ns;
            player.clock.card_ns = start.card_ns;
            player.call = call;
            player.call.sent = start.sent;
            player.call.posted = start.posted;
            player.operation = operation_of(player.call, ranks);
            player.algorithm = &collectives::default_algorithm(call.kind, player.operation);
            player.steps = player.algorithm->schedule(player.operation, rank);
            ready_.push_back(rank);
        }
        while (!ready_.empty()) {
            const int rank = ready_.back();
            ready_.pop_back();
            advance(rank);
        }
    }

    [[nodiscard]] double end_ns(int rank) const { return players_[static_cast<std::size_t>(rank)].clock.now_ns; }

private:
    struct Player {
        Clock clock;
        Collective call;
        Operation operation;
        const Algorithm* algorithm = nullptr;
        collectives::Schedule steps;
        std::size_t at = 0;
        bool has_sent = false;
        double begin_ns = 0;
        double left_ns = 0;
        int waits_for = kNobody;
    };

    void advance(int rank) {
        Player& player = players_[static_cast<std::size_t>(rank)];
        for (; player.at < player.steps.size(); ++player.at, player.has_sent = false) {
            const Step& step = player.steps[player.at];
            if (!player.has_sent) send(player, rank, step);
            if (step.from != kNobody) {
                std::deque<Stamp>& queue = under_way_[{step.from, rank}];
                player.waits_for = queue.empty() ? step.from : kNobody;
                if (queue.empty()) return;
                const Stamp stamp = queue.front();
                queue.pop_front();
                receive(player.clock, charges_(step.from, rank, stamp.bytes), stamp, player.begin_ns);
            }
            player.clock.wait_until(player.left_ns, 0);
        }
    }

    void send(Player& player, int rank, const Step& step) {
        player.has_sent = true;
        player.begin_ns = player.clock.now_ns;
        player.left_ns = 0;
        if (step.to == kNobody) return;
        const std::uint64_t bytes = collectives::bytes_of(*player.algorithm, player.operation, step.sent);
        under_way_[{rank, step.to}].push_back(
            virtual_clocks::send(player.clock, charges_(rank, step.to, bytes), bytes, player.left_ns));
        Player& to = players_[static_cast<std::size_t>(step.to)];
        if (to.waits_for != rank) return;
        to.waits_for = kNobody;
        ready_.push_back(step.to);
    }

    const Charges& charges_;
    std::vector<Player> players_;
    std::vector<int> ready_;
    std::map<std::pair<int, int>, std::deque<Stamp>> under_way_;
};

double closed_form_ns(const std::vector<Start>& starts, const Charges& charges, const Algorithm& algorithm,
                      const Operation& operation) {
    double latest_ns = 0;
    for (const Start& start : starts) latest_ns = std::max(latest_ns, start.now_ns);
    const collectives::Cost cost = algorithm.cost(operation);
    const machine::Charge charge = charges(0, 1, cost.bytes / std::max<std::uint64_t>(cost.messages, 1));
    Clock clock{.now_ns = latest_ns};
    for (int round = 0; round < cost.rounds; ++round) {
        double left_ns = 0;
        const double begin_ns = clock.now_ns;
        const Stamp stamp = send(clock, charge, 0, left_ns);
        receive(clock, charge, stamp, begin_ns);
    }
    return clock.now_ns;
}

}  // namespace

void play(Clock& clock, Companion& companion, const Charges& charges, const Collective& call) {
    const Operation operation = operation_of(call, companion.size());
    if (operation.ranks < 2) return;
    const Algorithm& algorithm = collectives::default_algorithm(call.kind, operation);
    const int rank = companion.rank();
    for (const Step& step : algorithm.schedule(operation, rank)) {
        const double begin_ns = clock.now_ns;
        double left_ns = 0;
        if (step.to != kNobody) {
            const std::uint64_t bytes = collectives::bytes_of(algorithm, operation, step.sent);
            companion.send(step.to, Companion::Kind::step, send(clock, charges(rank, step.to, bytes), bytes, left_ns));
        }
        if (step.from != kNobody) {
            const Stamp stamp = companion.receive(step.from, Companion::Kind::step);
            receive(clock, charges(step.from, rank, stamp.bytes), stamp, begin_ns);
        }
        clock.wait_until(left_ns, 0);
    }
}

double play_alone(const std::vector<Start>& starts, int rank, const Charges& charges, const Collective& call) {
    const auto ranks = static_cast<int>(starts.size());
    const Operation operation = operation_of(call, ranks);
    if (ranks < 2) return starts[static_cast<std::size_t>(rank)].now_ns;
    const Algorithm& algorithm = collectives::default_algorithm(call.kind, operation);
    if (algorithm.cost(operation).messages > kMostStepsAlone)
        return closed_form_ns(starts, charges, algorithm, operation);
    return Players(starts, charges, call).end_ns(rank);
}

}  // namespace waywiser::virtual_clocks
