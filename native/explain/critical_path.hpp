/// The critical path: the chain of computation and calls, over ranks, that ends last.
///
/// Every stream carries the chain that leads to its present position. After a wait, its chain is that of the awaited
/// stream up to the end of the wait, followed by the rest of the waiting call. Chains with a common start share it in a
/// tree, and an unshared part is summed by places. The tree therefore has about as many nodes as there are streams and
/// messages in flight. Most parts of chains are soon forgotten, so that they are summed only before their calls are.
/// Source: Böhme, de Supinski, Geimer, Schulz, Wolf: Scalable critical-path based performance analysis, IPDPS 2012,
/// whose backward replay this does forward.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/flat_map.hpp"
#include "explain/history.hpp"

namespace waywiser::explain {

/// Time by stream and kind of interval: `stream << 32 | interval`.
using PathSums = FlatMap<std::uint64_t>;

/// A point on a stream's chain: the start of a call. As long as the point exists, the chain stays in memory.
struct PathPoint {
    static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

    std::uint32_t node = kNowhere;
    std::uint64_t step = 0;
};

class CriticalPaths {
public:
    explicit CriticalPaths(std::vector<History>& histories);

    /// The start of the stream's latest call. The caller must drop the point.
    [[nodiscard]] PathPoint here(std::uint32_t stream) {
        const std::uint32_t node = heads_[stream];
        ++nodes_[node].references;
        return {.node = node, .step = 2 * histories_[stream].end() - 1};
    }
    void drop(PathPoint& point) {
        if (point.node != kNone) release(std::exchange(point.node, kNone));
    }

    /// Sets the chain of `stream` to the chain up to `from`, followed by `rest_ns` of its latest call.
    /// \return false, without effect, if that part of the chain was discarded
    bool follow(std::uint32_t stream, const PathPoint& from, std::uint64_t rest_ns);

    /// Sums segments before the stream's history overwrites its oldest one.
    /// \return the first remaining segment that must be summed before it is overwritten
    std::uint64_t before_overwriting(std::uint32_t stream) {
        if (pending_[stream].summed < 2 * histories_[stream].begin() + 2) sum_older_half(stream);
        return pending_[stream].summed / 2;
    }

    /// Sums of the chain that leads to the end of the stream.
    [[nodiscard]] PathSums sums(std::uint32_t stream);

private:
    // A step is half a segment: 2 * number is its computation, 2 * number + 1 its call.
    static constexpr std::uint64_t kOpen = std::numeric_limits<std::uint64_t>::max();
    static constexpr std::uint32_t kNone = PathPoint::kNowhere;

    struct Node {
        std::uint32_t parent = kNone;
        std::uint32_t references = 0;  ///< references by nodes, by points, and by the stream whose chain ends here
        std::uint32_t stream = 0;
        std::uint64_t begin = 0;  ///< first step that may be split off
        std::uint64_t summed = 0;
        std::uint64_t end = kOpen;
        std::uint64_t rest_ns = 0;  ///< time in `rest` of the call before `begin`, which is not summed yet
        std::uint32_t rest = 0;
        PathSums sums;
    };

    std::uint32_t add_node(std::uint32_t parent, std::uint32_t stream, std::uint64_t begin);
    void release(std::uint32_t number) {
        if (--nodes_[number].references == 0) free_chain(number);
    }
    void free_chain(std::uint32_t number);
    void sum_up_to(Node& node, std::uint64_t step);
    void sum_older_half(std::uint32_t stream);
    std::uint32_t split(const PathPoint& point);
    void compact();

    std::vector<History>& histories_;
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> free_;
    std::vector<std::uint32_t> heads_;  ///< indexed by stream
    struct Pending {
        std::uint64_t summed = 0;          ///< number of segments that are summed
        std::vector<std::uint32_t> nodes;  ///< nodes that end after `summed`; some of them may be free by now
    };
    std::vector<Pending> pending_;  ///< indexed by stream
    std::size_t compact_at_ = 1024;
};

}  // namespace waywiser::explain
