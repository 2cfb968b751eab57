/// Open MPI's component coll/han: a collective inside each node, and one between ranks that represent their nodes; long
/// vectors pass through both in consecutive segments. Inside the nodes it uses the blocking collectives of coll/tuned.
/// Between nodes it also uses these if nothing runs inside the nodes at the same time; concurrent collectives are those
/// of coll/libnbc.
#include <algorithm>
#include <utility>

#include "collectives/algorithms.hpp"
#include "collectives/selection.hpp"
#include "collectives/steps.hpp"

namespace waywiser::collectives {
namespace {

constexpr std::uint64_t kSegment = 65536;

/// Size of a segment [B]: the whole number of elements closest to the requested size.
std::uint64_t segment_bytes(const Operation& op) {
    const std::uint64_t most = op.segment_bytes > 0 ? op.segment_bytes : kSegment;
    if (most < op.element_bytes || most >= op.bytes) return op.bytes;
    const std::uint64_t whole = most / op.element_bytes * op.element_bytes;
    return most - whole > op.element_bytes / 2 ? whole + op.element_bytes : whole;
}

/// Builds the stages of one call.
class Levels {
public:
    /// \param op  the place of its root on its node is the place of the ranks that represent their nodes
    explicit Levels(const Operation& op) : op_(op), nodes_(*op.nodes), place_(nodes_.place(op.root)) {}

    /// Adds a collective on the ranks of each node.
    /// \return the round after all of them
    int within(Collective collective, std::uint64_t bytes, int begin) {
        int end = begin;
        for (const int ranks : nodes_.sizes()) {
            end = std::max(end, add(collective, part(ranks, place_, bytes), false, Level::within, begin));
        }
        return end;
    }

    int between(Collective collective, std::uint64_t bytes, int begin, bool nonblocking = false) {
        const auto nodes = static_cast<int>(nodes_.at(place_).size());
        return add(collective, part(nodes, nodes_.number_between(op_.root), bytes), nonblocking, Level::between, begin);
    }

    [[nodiscard]] Stages take() { return std::move(stages_); }

private:
    [[nodiscard]] Operation part(int ranks, int root, std::uint64_t bytes) const {
        return {.ranks = ranks,
                .root = root,
                .bytes = bytes,
                .element_bytes = op_.element_bytes,
                .commutative = op_.commutative};
    }

    int add(Collective collective, const Operation& op, bool nonblocking, Level level, int begin) {
        Stages stages = select(Library::open_mpi, collective, op, nonblocking);
        for (Stage& stage : stages) {
            stage.begin += begin;
            stage.level = level;
            stage.nodes = &nodes_;
            stage.place = place_;
        }
        stages_.insert(stages_.end(), stages.begin(), stages.end());
        return std::max(begin, end_of(stages));
    }

    const Operation& op_;
    const Nodes& nodes_;
    int place_;
    Stages stages_;
};

/// Segments of a vector.
class Segments {
public:
    explicit Segments(const Operation& op) : all_(op.bytes), each_(segment_bytes(op)) {}

    [[nodiscard]] int count() const { return each_ == 0 ? 1 : static_cast<int>((all_ + each_ - 1) / each_); }
    [[nodiscard]] bool has(int i) const { return i >= 0 && i < count(); }
    [[nodiscard]] std::uint64_t bytes(int i) const {
        return i + 1 < count() ? each_ : all_ - each_ * static_cast<std::uint64_t>(count() - 1);
    }

private:
    std::uint64_t all_;
    std::uint64_t each_;
};

bool has_levels(const Operation& op) { return op.nodes != nullptr && op.nodes->have_levels(); }
bool has_even_levels(const Operation& op) { return has_levels(op) && op.nodes->are_even(); }

/// Bytes of a node's ranks, if all nodes have equally many ranks.
std::uint64_t on_node(const Operation& op) { return op.bytes * count(op.nodes->sizes().front()); }

}  // namespace

bool han_supports(const Operation& op) { return has_levels(op); }
bool han_supports_even(const Operation& op) { return has_even_levels(op) && op.shares.empty(); }
bool han_reduces(const Operation& op) { return has_levels(op) && op.commutative; }
bool han_reduces_even(const Operation& op) { return has_even_levels(op) && op.commutative; }

Stages han_barrier(const Operation& op) {
    Levels levels(op);
    const int all_came = levels.within(Collective::barrier, 0, 0);
    levels.within(Collective::barrier, 0, levels.between(Collective::barrier, 0, all_came));
    return levels.take();
}

/// While a segment is broadcast inside the nodes, the next one arrives.
Stages han_bcast(const Operation& op) {
    Levels levels(op);
    const Segments segments(op);
    int begin = levels.between(Collective::bcast, segments.bytes(0), 0);
    for (int i = 0; i < segments.count(); ++i) {
        int end = begin;
        if (segments.has(i + 1)) end = levels.between(Collective::bcast, segments.bytes(i + 1), begin, true);
        begin = std::max(end, levels.within(Collective::bcast, segments.bytes(i), begin));
    }
    return levels.take();
}

Stages han_reduce(const Operation& op) {
    Levels levels(op);
    const Segments segments(op);
    int begin = levels.within(Collective::reduce, segments.bytes(0), 0);
    for (int i = 0; i < segments.count(); ++i) {
        int end = levels.between(Collective::reduce, segments.bytes(i), begin, true);
        if (segments.has(i + 1)) end = std::max(end, levels.within(Collective::reduce, segments.bytes(i + 1), begin));
        begin = end;
    }
    return levels.take();
}

/// Each segment is reduced inside the nodes, then between them, and returns the same way; four segments are in flight.
Stages han_allreduce(const Operation& op) {
    const Operation rooted = rooted_at_first(op);
    Levels levels(rooted);
    const Segments segments(op);
    int begin = 0;
    for (int i = 0; i < segments.count() + 3; ++i) {
        int end = begin;
        if (segments.has(i - 2)) end = levels.between(Collective::bcast, segments.bytes(i - 2), begin, true);
        if (segments.has(i - 1)) {
            end = std::max(end, levels.between(Collective::reduce, segments.bytes(i - 1), begin, true));
        }
        int inside = begin;
        if (segments.has(i)) inside = levels.within(Collective::reduce, segments.bytes(i), begin);
        if (segments.has(i - 3)) inside = levels.within(Collective::bcast, segments.bytes(i - 3), inside);
        begin = std::max(end, inside);
    }
    return levels.take();
}

Stages han_gather(const Operation& op) {
    Levels levels(op);
    levels.between(Collective::gather, on_node(op), levels.within(Collective::gather, op.bytes, 0));
    return levels.take();
}

Stages han_scatter(const Operation& op) {
    Levels levels(op);
    levels.within(Collective::scatter, op.bytes, levels.between(Collective::scatter, on_node(op), 0));
    return levels.take();
}

Stages han_allgather(const Operation& op) {
    const Operation rooted = rooted_at_first(op);
    Levels levels(rooted);
    const int gathered = levels.within(Collective::gather, op.bytes, 0);
    const int exchanged = levels.between(Collective::allgather, on_node(op), gathered);
    levels.within(Collective::bcast, op.bytes * count(op.ranks), exchanged);
    return levels.take();
}

}  // namespace waywiser::collectives
