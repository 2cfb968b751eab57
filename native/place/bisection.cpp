#include "place/bisection.hpp"

#include <algorithm>
#include <deque>
#include <numeric>

#include "place/boundary_moves.hpp"
#include "place/random.hpp"

namespace waywiser::place {
namespace {

constexpr std::uint32_t kCoarsest = 60;  // number of vertices of the coarsest graph

/// Grows the first part from one vertex, always by the vertex with the heaviest edges to it.
std::vector<std::uint8_t> grow(const Graph& graph, std::span<const double> pull, std::int64_t target,
                               std::uint32_t start) {
    std::vector<std::uint8_t> part(graph.count(), 1);
    std::vector<double> gain(graph.count());
    for (std::uint32_t vertex = 0; vertex < graph.count(); ++vertex) {
        for (const Edge& edge : graph.of(vertex)) gain[vertex] -= edge.weight;
        if (!pull.empty()) gain[vertex] += pull[vertex];
    }
    std::int64_t size = 0;
    for (std::uint32_t next = start; size < target;) {
        part[next] = 0;
        size += graph.size[next];
        for (const auto& [to, weight] : graph.of(next)) gain[to] += 2 * static_cast<double>(weight);
        next = graph.count();
        for (std::uint32_t vertex = 0; vertex < graph.count(); ++vertex) {
            if (part[vertex] == 1 && (next == graph.count() || gain[vertex] > gain[next])) next = vertex;
        }
        if (next == graph.count()) break;
    }
    return part;
}

std::vector<std::uint8_t> first_cut(const Graph& graph, std::span<const double> pull, const Bisection& task,
                                    std::int64_t slack) {
    const PartSizes sizes{.least = task.least, .most = task.most};
    Random random(task.seed);
    std::vector<std::uint8_t> best;
    double best_cost = 0;
    for (std::uint32_t i = 0; i < task.tries; ++i) {
        // If sizes leave a choice, a single part may cut nothing, and even parts may have the least pull.
        const std::int64_t target = i % 2 == 0 ? sizes.most : (sizes.least + sizes.most) / 2;
        std::vector<std::uint8_t> part = grow(graph, pull, target, random.below(graph.count()));
        improve_cut(graph, pull, sizes, slack, part);
        const double cost = cut_cost(graph, pull, part);
        if (best.empty() || cost < best_cost) {
            best = std::move(part);
            best_cost = cost;
        }
    }
    return best;
}

std::vector<std::uint8_t> bisect_once(const Graph& graph, const Bisection& task) {
    struct Level {
        Graph graph;
        std::vector<double> pull;
        std::vector<std::uint32_t> coarse_of;  // coarse vertex of each vertex of the preceding level
    };
    std::deque<Level> levels;
    const std::uint64_t total = std::accumulate(graph.size.begin(), graph.size.end(), std::uint64_t{0});
    const auto largest = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, total / 24));
    const Graph* finest = &graph;
    const std::vector<double>* pull = &task.pull;
    while (finest->count() > kCoarsest) {
        Level level;
        level.graph = coarsen(*finest, largest, task.seed + levels.size(), level.coarse_of);
        if (level.graph.count() > finest->count() - finest->count() / 10) break;
        if (!pull->empty()) {
            level.pull.resize(level.graph.count());
            for (std::uint32_t v = 0; v < finest->count(); ++v) level.pull[level.coarse_of[v]] += (*pull)[v];
        }
        levels.push_back(std::move(level));
        finest = &levels.back().graph;
        pull = &levels.back().pull;
    }

    const auto slack = [](const Graph& level) -> std::int64_t { return *std::ranges::max_element(level.size); };
    const PartSizes sizes{.least = task.least, .most = task.most};
    std::vector<std::uint8_t> part = first_cut(*finest, *pull, task, slack(*finest));
    for (std::size_t i = levels.size(); i-- > 0;) {
        const Graph& finer = i == 0 ? graph : levels[i - 1].graph;
        std::vector<std::uint8_t> projected(finer.count());
        for (std::uint32_t v = 0; v < finer.count(); ++v) projected[v] = part[levels[i].coarse_of[v]];
        part = std::move(projected);
        improve_cut(finer, i == 0 ? task.pull : levels[i - 1].pull, sizes, slack(finer), part);
    }
    return part;
}

}  // namespace

std::vector<std::uint8_t> bisect(const Graph& graph, Bisection task) {
    std::vector<std::uint8_t> best;
    double best_cost = 0;
    Random seeds(task.seed);
    for (std::uint32_t run = 0; run < task.runs; ++run) {
        task.seed = seeds.next();
        std::vector<std::uint8_t> part = bisect_once(graph, task);
        const double cost = cut_cost(graph, task.pull, part);
        if (best.empty() || cost < best_cost) {
            best = std::move(part);
            best_cost = cost;
        }
    }
    return best;
}

}  // namespace waywiser::place
