/// Messages over links, sent a few at a time while others are under way, or in answer to others that have arrived: they
/// end when a slow simulation says, which fills the rates of all of them over all of their links after each event, and
/// what holds them up then is a link that it says does.
/// Links that can be a bottleneck; and the next start, against the standard library's queue, and the next end.
#include "simulate/flows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "machine/table.hpp"
#include "simulate/contention.hpp"
#include "tests/native/filled_rates.hpp"

namespace {

using namespace waywiser::machine;
using namespace waywiser::simulate;
using namespace waywiser::tests;

using List = std::vector<std::int64_t>;
using Random = std::mt19937_64;

int g_failed = 0;

void check(bool holds, const char* what, std::uint64_t seed) {
    if (holds) return;
    ++g_failed;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), what);
}

struct Sent {
    Demand flow;
    double start_ns = 0;
    double bytes = 0;
    double end_ns = 0;
    bool held_inside = false;
    std::uint32_t route = 0;
};

/// The links that hold the flow up: full ones on which none is faster.
std::vector<std::uint32_t> holding(const std::vector<double>& capacities, const std::vector<Demand>& flows,
                                   const std::vector<double>& rates, std::size_t flow) {
    std::vector<std::uint32_t> held;
    if (rates[flow] >= flows[flow].most * (1 - 1e-9)) return held;
    for (const Share& own : flows[flow].route) {
        double used = 0;
        double highest = 0;
        for (std::size_t i = 0; i < flows.size(); ++i) {
            for (const Share& share : flows[i].route) {
                if (share.link != own.link) continue;
                used += share.part * rates[i];
                highest = std::max(highest, rates[i]);
            }
        }
        const bool full = used >= capacities[own.link] * (1 - 1e-9);
        if (full && rates[flow] >= highest * (1 - 1e-9)) held.push_back(own.link);
    }
    return held;
}

struct SlowEnd {
    double at_ns = std::numeric_limits<double>::infinity();
    std::vector<std::uint32_t> held;  ///< up by these links
};

/// Ends of messages, simulated from one start or end to the next, with all rates computed anew.
std::vector<SlowEnd> slow_ends(const std::vector<double>& capacities, const std::vector<Sent>& messages) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    std::vector<SlowEnd> ends(messages.size());
    std::vector<double> left(messages.size());
    std::vector<std::size_t> flying;
    std::vector<std::size_t> waiting(messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) {
        left[i] = messages[i].bytes;
        waiting[i] = i;
    }
    for (double now_ns = 0; !waiting.empty() || !flying.empty();) {
        std::vector<Demand> flows;
        flows.reserve(flying.size());
        for (const std::size_t i : flying) flows.push_back(messages[i].flow);
        const std::vector<double> rates = filled(capacities, flows);
        double next_ns = kNever;
        for (const std::size_t i : waiting) next_ns = std::min(next_ns, messages[i].start_ns);
        for (std::size_t k = 0; k < flying.size(); ++k) {
            next_ns = std::min(next_ns, now_ns + left[flying[k]] / rates[k]);
        }
        for (std::size_t k = 0; k < flying.size(); ++k) left[flying[k]] -= rates[k] * (next_ns - now_ns);
        now_ns = next_ns;
        for (std::size_t k = 0; k < flying.size(); ++k) {
            const std::size_t i = flying[k];
            if (left[i] > 1e-10 * messages[i].bytes) continue;
            ends[i] = {.at_ns = now_ns, .held = holding(capacities, flows, rates, k)};
        }
        std::erase_if(flying, [&](std::size_t i) { return ends[i].at_ns < kNever; });
        std::erase_if(waiting, [&](std::size_t i) {
            if (messages[i].start_ns > now_ns) return false;
            flying.push_back(i);
            return true;
        });
    }
    return ends;
}

std::unique_ptr<Topology> draw_topology(Random& random) {
    switch (random() % 6) {
        case 0: return make_topology("k-ary-n-tree", {{"k", std::int64_t{3}}, {"n", std::int64_t{3}}});
        case 1: return make_topology("fat-tree", {{"down", List{4, 3, 2}}, {"up", List{1, 2, 2}}});
        case 2: return make_topology("k-ary-n-tree", {{"k", 3L}, {"n", 2L}, {"routing", std::string("ecmp")}});
        case 3: return make_topology("torus", {{"lengths", List{4, 5}}});
        case 4: return make_topology("fat-tree", {{"down", List{5, 3}}, {"up", List{1, 2}}, {"cables", List{2, 1}}});
        default:
            return make_topology("dragonfly", {{"nodes_per_switch", 2L}, {"switches_per_group", 2L}, {"groups", 3L}});
    }
}

/// \return how often a link that could not be a bottleneck became one that can while messages were under way
std::uint32_t send_at_random(std::uint64_t seed) {
    Random random(seed);
    std::uniform_real_distribution<double> some(0.0, 1.0);
    const std::unique_ptr<Topology> topology = draw_topology(random);
    Speeds speeds{.link_bytes_per_ns = 2};
    if (random() % 3 == 0) speeds.nic_bytes_per_ns = 1.0 + static_cast<double>(random() % 3);
    Network network(*topology, speeds);
    FlowSimulator flows(network);
    std::vector<Sent> sent;
    double now_ns = 0;
    std::size_t in_flight = 0;
    std::uint32_t late = 0;
    const auto take = [&](double before_ns) {
        const auto ends = flows.next(before_ns);
        if (ends.empty()) now_ns = before_ns;
        for (const FlowSimulator::End& end : ends) {
            check(end.at_ns >= now_ns * (1 - 1e-12), "ends are not in their order", seed);
            sent[end.flow].end_ns = now_ns = end.at_ns;
            sent[end.flow].held_inside = end.held_inside;
        }
        in_flight -= ends.size();
        return !ends.empty();
    };
    for (int batch = 0; batch < 8; ++batch) {
        const std::uint32_t before = network.revision();
        for (int i = 0; i < 6; ++i) {
            const auto a = static_cast<std::uint32_t>(random() % topology->node_count());
            const auto b = static_cast<std::uint32_t>(random() % topology->node_count());
            if (a == b) continue;
            Sent one{.flow = {}, .start_ns = now_ns + 40 * some(random), .bytes = 1 + 100 * some(random)};
            const std::uint32_t route = one.route = network.route(a, b);
            one.flow.route.assign(network.links(route).begin(), network.links(route).end());
            one.flow.most = 0.5 + 3 * some(random);
            flows.start(static_cast<std::uint32_t>(sent.size()), route, one.start_ns, one.bytes,
                        one.bytes / one.flow.most);
            sent.push_back(one);
        }
        if (in_flight > 0) late += network.revision() - before;
        in_flight = static_cast<std::size_t>(std::ranges::count(sent, 0.0, &Sent::end_ns));
        for (std::uint64_t ends = random() % 6; ends > 0; --ends) (void)take(now_ns + 20 * some(random));
    }
    while (take(FlowSimulator::kEver_ns)) continue;
    const std::vector<SlowEnd> expected = slow_ends(network.capacities(), sent);
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const auto& [at_ns, held] = expected[i];
        check(std::abs(sent[i].end_ns - at_ns) <= 1e-9 * at_ns, "a message ends at another time", seed);
        // If links of both kinds do, either may be reported.
        const auto inner =
            std::ranges::count_if(held, [&](std::uint32_t link) { return network.is_inner(link, sent[i].route); });
        const bool right = sent[i].held_inside ? inner > 0 : inner == 0 || std::cmp_less(inner, held.size());
        check(right, "a message is said to be held up elsewhere", seed);
    }
    return late;
}

/// Whoever has received a message sends another one, a latency after that has left the links or later, but not before a
/// whole batch has arrived.
/// \return how many messages the batches had beyond their first
std::size_t answer_at_random(std::uint64_t seed) {
    Random random(seed);
    std::uniform_real_distribution<double> some(0.0, 1.0);
    const std::shared_ptr<const Topology> topology = draw_topology(random);
    const Speeds speeds{.link_bytes_per_ns = 2};
    const double latency_ns = 15 * static_cast<double>(random() % 4);
    Contention contention({.topology = topology, .speeds = speeds, .tolerance = 0});
    Network network(*topology, speeds);
    std::vector<Sent> sent;
    const auto send = [&](double soonest_ns) {
        const auto a = static_cast<std::uint32_t>(random() % topology->node_count());
        const auto b =
            static_cast<std::uint32_t>((a + 1 + random() % (topology->node_count() - 1)) % topology->node_count());
        Sent one{.flow = {}, .start_ns = soonest_ns + 20 * some(random) * some(random), .bytes = 1 + 50 * some(random)};
        const std::uint32_t route = network.route(a, b);
        one.flow.route.assign(network.links(route).begin(), network.links(route).end());
        one.flow.most = 0.5 + 3 * some(random);
        // Two that are equal arrive at one time.
        for (std::uint64_t equal = 1 + random() % 2; equal > 0; --equal) {
            contention.send(sent.size(), contention.route(a, b), one.start_ns, one.bytes, one.bytes / one.flow.most,
                            latency_ns);
            sent.push_back(one);
        }
    };
    for (int i = 0; i < 12; ++i) send(0);
    std::size_t more = 0;
    double now_ns = 0;
    for (auto batch = contention.next(FlowSimulator::kEver_ns); !batch.empty();
         batch = contention.next(FlowSimulator::kEver_ns)) {
        more += batch.size() - 1;
        for (const Contention::Passage& passage : std::vector(batch.begin(), batch.end())) {
            Sent& one = sent[passage.name];
            one.end_ns = one.start_ns + one.bytes / one.flow.most + passage.delay_ns;
            check(one.end_ns >= now_ns * (1 - 1e-8), "messages do not arrive in their order", seed);
            now_ns = one.end_ns;
            if (sent.size() < 60) send(now_ns + latency_ns);
        }
    }
    const std::vector<SlowEnd> expected = slow_ends(network.capacities(), sent);
    for (std::size_t i = 0; i < sent.size(); ++i) {
        check(std::abs(sent[i].end_ns - expected[i].at_ns) <= 1e-8 * expected[i].at_ns,
              "a message arrives at another time", seed);
    }
    return more;
}

/// All ways of a full tree need the links upwards, and the last one downwards (D-Mod-K gives each node its own tree
/// downwards). Ways to neighbours in a grid of k x k x k, whose planes are subtrees, need the first and the last link.
void count_needed_links() {
    constexpr std::uint32_t kSide = 4;
    const auto topology = make_topology("k-ary-n-tree", {{"k", std::int64_t{kSide}}, {"n", std::int64_t{3}}});
    const std::uint32_t nodes = topology->node_count();
    Network all(*topology, {.link_bytes_per_ns = 1});
    Network halo(*topology, {.link_bytes_per_ns = 1});
    for (std::uint32_t a = 0; a < nodes; ++a) {
        for (std::uint32_t b = 0; b < nodes; ++b) (void)all.route(a, b);
        for (const std::uint32_t stride : {1U, kSide, kSide * kSide}) {
            const std::uint32_t digit = a / stride % kSide;
            (void)halo.route(a, a + stride * ((digit + 1) % kSide) - stride * digit);
            (void)halo.route(a, a + stride * ((digit + kSide - 1) % kSide) - stride * digit);
        }
    }
    for (std::uint32_t a = 0; a < nodes; ++a) {
        for (std::uint32_t b = 0; b < nodes; ++b) {
            const std::size_t hops = topology->hops(a, b);
            const std::size_t needed = all.needed_links(all.route(a, b)).size();
            check(needed == (a == b ? 0 : hops / 2 + 1), "another number of links is needed", 0);
        }
    }
    for (std::uint32_t route = 0; route < halo.routes(); ++route) {
        check(halo.needed_links(route).size() == 2, "a halo needs other links than its ends", 0);
    }
}

struct Event {
    double at_ns = 0;
    std::uint32_t number = 0;

    bool operator<(const Event& other) const {
        return at_ns < other.at_ns || (at_ns == other.at_ns && number < other.number);
    }
};

struct Later {
    bool operator()(const Event& a, const Event& b) const { return b < a; }
};

/// Events come, many at the same time, a few of them far ahead, and go in their order.
void queue_at_random(std::uint64_t seed) {
    Random random(seed);
    EventQueue<Event> queue;
    std::priority_queue<Event, std::vector<Event>, Later> expected;
    const std::uint64_t span = 1 + random() % 500;
    double now_ns = 0;
    for (int step = 0; step < 2000; ++step) {
        for (std::uint64_t more = random() % 7 == 0 ? random() % 20 : 0; more > 0; --more) {
            const std::uint64_t far = random() % 50 == 0 ? 1000 * span : 0;
            const Event event{.at_ns = now_ns + static_cast<double>(random() % (span + far)) / 4,
                              .number = static_cast<std::uint32_t>(random() % 100)};
            queue.push(event);
            expected.push(event);
        }
        check(queue.empty() == expected.empty(), "the queue has lost an event, or made one", seed);
        if (queue.empty() || expected.empty()) continue;
        const bool same = queue.top().at_ns == expected.top().at_ns && queue.top().number == expected.top().number;
        check(same, "the queue has another event in front", seed);
        now_ns = expected.top().at_ns;
        (void)queue.pop();
        expected.pop();
    }
}

/// Many are due, and most are set again before they are, sometimes to the time of another one; few are at first and at
/// last.
void put_off_at_random(std::uint64_t seed) {
    Random random(seed);
    Deadlines deadlines;
    std::vector<double> expected(1 + random() % 400, Deadlines::kNever_ns);
    const auto set = [&](std::size_t i, double at_ns) {
        expected[i] = at_ns;
        deadlines.set(static_cast<std::uint32_t>(i), at_ns);
    };
    for (std::size_t i = 0; i < expected.size(); ++i) deadlines.set(static_cast<std::uint32_t>(i), expected[i]);
    double now_ns = 0;
    for (std::uint64_t step = 0; step < 2000; ++step) {
        const std::uint64_t changes = step % 1000 < 500 ? random() % 20 : random() % 2;
        for (std::uint64_t change = 0; change < changes; ++change) {
            set(random() % expected.size(), now_ns + static_cast<double>(random() % 300) / 4);
        }
        const auto first = std::ranges::min_element(expected);
        const Deadlines::Due due = deadlines.next();
        check(due.at_ns == *first, "another time is due next", seed);
        if (*first == Deadlines::kNever_ns || due.at_ns != *first) continue;
        check(due.number == first - expected.begin(), "another one is due next", seed);
        now_ns = due.at_ns;
        set(due.number, random() % 3 == 0 ? now_ns + 50 : Deadlines::kNever_ns);
    }
}

}  // namespace

int main() {
    std::uint32_t late = 0;
    std::size_t together = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        late += send_at_random(seed);
        together += answer_at_random(seed);
        queue_at_random(seed);
        put_off_at_random(seed);
    }
    check(together > 1000, "messages hardly ever arrive together", 0);
    check(late > 100, "links hardly ever become needed while messages are under way", 0);
    count_needed_links();
    return g_failed == 0 ? 0 : 1;
}
