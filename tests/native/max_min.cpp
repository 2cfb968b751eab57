/// Max-min fair rates of random flows over random links, while they come and go: every flow has a bottleneck, no link
/// carries more than it can, the order of the flows does not matter, and a textbook's progressive filling of all flows
/// finds the same.
#include "simulate/max_min.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "tests/native/filled_rates.hpp"

namespace {

using waywiser::machine::Share;
using waywiser::simulate::MaxMin;
using namespace waywiser::tests;

using Random = std::mt19937_64;

int g_failed = 0;

void check(bool holds, const char* what, std::uint64_t seed) {
    if (holds) return;
    ++g_failed;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), what);
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

/// A random route; every other seed splits no flow.
Route draw_route(std::size_t links, std::uint64_t seed, Random& random) {
    std::vector<std::uint32_t> all(links);
    std::iota(all.begin(), all.end(), 0U);
    std::shuffle(all.begin(), all.end(), random);
    Route route;
    const std::size_t count = 1 + random() % std::min<std::size_t>(links, 5);
    for (std::size_t i = 0; i < count; ++i) {
        route.push_back(
            {.link = all[i],
             .part = seed % 2 == 0 && random() % 3 == 0 ? 1.0 / static_cast<double>(2 + random() % 3) : 1.0});
    }
    return route;
}

/// Checks that rates are feasible and max-min fair, by definition.
///
/// \param named  the link that is said to hold each flow up
void judge(const std::vector<double>& capacities, const std::vector<Demand>& flows, const std::vector<double>& rates,
           const std::vector<std::uint32_t>& named, std::uint64_t seed) {
    std::vector<double> used(capacities.size());
    std::vector<double> highest(capacities.size());
    for (std::size_t i = 0; i < flows.size(); ++i) {
        check(rates[i] <= flows[i].most, "a flow is faster than it may be", seed);
        for (const Share& share : flows[i].route) {
            used[share.link] += share.part * rates[i];
            highest[share.link] = std::max(highest[share.link], rates[i]);
        }
    }
    for (std::size_t link = 0; link < capacities.size(); ++link) {
        check(used[link] <= capacities[link] * (1 + 1e-9), "a link carries more than it can", seed);
    }
    for (std::size_t i = 0; i < flows.size(); ++i) {
        const auto holds = [&](const Share& share) {
            return used[share.link] >= capacities[share.link] * (1 - 2e-9) &&
                   rates[i] >= highest[share.link] * (1 - 2e-9);
        };
        const bool free = rates[i] == flows[i].most;
        check(free || std::ranges::any_of(flows[i].route, holds), "a flow has no bottleneck", seed);
        const auto reported = std::ranges::find(flows[i].route, named[i], &Share::link);
        const bool right = reported == flows[i].route.end() ? free && named[i] == MaxMin::kNone : holds(*reported);
        check(right, "another link is said to hold a flow up", seed);
    }
}

/// Flows come and go a few at a time; whatever is under way is judged every time.
void come_and_go(std::uint64_t seed) {
    Random random(seed);
    std::vector<double> capacities(2 + random() % 12);
    for (double& capacity : capacities) capacity = static_cast<double>(1 + random() % 8);
    MaxMin flows(capacities);
    std::map<std::uint32_t, Demand> active;
    std::map<std::uint32_t, double> settled;  // rates; 0 of new flows
    for (int round = 0; round < 40; ++round) {
        for (std::uint64_t change = 0; change <= random() % 4; ++change) {
            if (!active.empty() && random() % 5 < 2) {
                const auto gone = std::next(active.begin(), static_cast<std::ptrdiff_t>(random() % active.size()));
                flows.remove(gone->first);
                settled.erase(gone->first);
                active.erase(gone);
            } else {
                Demand flow{.route = draw_route(capacities.size(), seed, random)};
                if (random() % 3 == 0) flow.most = 0.25 * static_cast<double>(1 + random() % 12);
                const std::uint32_t number = flows.add(flow.route, flow.most);
                check(active.emplace(number, std::move(flow)).second, "two flows have one number", seed);
            }
        }
        const auto changed = flows.settle();
        std::map<std::uint32_t, double> reported;
        for (const MaxMin::Change& change : changed) {
            check(active.contains(change.flow), "a flow that has left is told", seed);
            reported[change.flow] = change.before;
        }
        std::vector<Demand> those;
        std::vector<double> rates;
        std::vector<std::uint32_t> named;
        for (const auto& [number, flow] : active) {
            those.push_back(flow);
            rates.push_back(flows.rate(number));
            named.push_back(flows.bottleneck(number));
            const auto change = reported.find(number);
            const double known = change == reported.end() ? flows.rate(number) : change->second;
            check(known == settled[number], "a rate has changed, and nobody was told from which one", seed);
        }
        for (const auto& [number, flow] : active) settled[number] = flows.rate(number);
        judge(capacities, those, rates, named, seed);
        const std::vector<double> expected = filled(capacities, those);
        for (std::size_t i = 0; i < rates.size(); ++i) check(close(rates[i], expected[i]), "another rate", seed);
    }
}

/// Rates do not depend on the order of flows, nor on that of links.
void permute(std::uint64_t seed) {
    Random random(seed);
    const std::size_t links = 2 + random() % 30;
    std::vector<std::uint32_t> renamed(links);
    std::iota(renamed.begin(), renamed.end(), 0U);
    std::shuffle(renamed.begin(), renamed.end(), random);
    std::vector<double> capacities(links);
    std::vector<double> other_capacities(links);
    for (std::size_t link = 0; link < links; ++link) {
        capacities[link] = other_capacities[renamed[link]] = static_cast<double>(1 + random() % 8);
    }
    MaxMin one(capacities);
    MaxMin other(other_capacities);
    std::vector<Route> routes(100);
    for (Route& route : routes) route = draw_route(links, seed, random);
    std::vector<std::size_t> order(routes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::uint32_t> number(routes.size());
    std::vector<std::uint32_t> other_number(routes.size());
    for (std::size_t i = 0; i < routes.size(); ++i) number[i] = one.add(routes[i]);
    std::vector<Route> other_routes = routes;
    for (const std::size_t i : order) {
        for (Share& share : other_routes[i]) share.link = renamed[share.link];
        other_number[i] = other.add(other_routes[i]);
        if (i % 7 == 0) (void)other.settle();
    }
    (void)one.settle();
    (void)other.settle();
    for (std::size_t i = 0; i < routes.size(); ++i) {
        check(close(one.rate(number[i]), other.rate(other_number[i])), "the order matters", seed);
    }
}

}  // namespace

int main() {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        come_and_go(seed);
        permute(seed);
    }
    return g_failed == 0 ? 0 : 1;
}
