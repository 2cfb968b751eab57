/// Folds a sequence of numbers while it grows: into a grammar that contains each pair of neighbours once, and that
/// counts repetitions. A loop is one rule with a count, however long it runs.
///
/// Sources: C. G. Nevill-Manning and I. H. Witten, "Identifying hierarchical structure in sequences: a linear-time
/// algorithm", Journal of Artificial Intelligence Research 7, 1997, pp. 67-82 (Sequitur); C. Wang, P. Balaji, M. Snir,
/// "Pilgrim: scalable and (near) lossless MPI tracing", SC'21 (Sequitur with counts, for MPI).
#pragma once

#include <cstdint>
#include <vector>

namespace waywiser::trace {

/// A symbol and its repetitions. The symbol is twice a number, or twice a rule plus 1.
struct Repeated {
    std::uint32_t symbol;
    std::uint64_t count;

    [[nodiscard]] bool is_rule() const { return (symbol & 1U) != 0; }
    [[nodiscard]] std::uint32_t value() const { return symbol >> 1U; }
    [[nodiscard]] bool operator==(const Repeated&) const = default;
};

class Fold {
public:
    Fold();

    /// \param number  less than 2^31 - 1
    void append(std::uint32_t number);

    /// Number of the grammar's nodes in memory.
    [[nodiscard]] std::size_t size() const { return live_nodes_; }

    /// Ends the sequence.
    /// \return rules, each of which refers to earlier ones only; the last is the whole sequence. An empty sequence has
    ///         none.
    [[nodiscard]] std::vector<std::vector<Repeated>> finish();

private:
    using Index = std::uint32_t;

    struct Node {
        Repeated repeated;
        Index previous;
        Index next;
    };

    struct Rule {
        Index guard;  ///< node before the first and after the last one
        std::uint32_t uses;
    };

    /// A position of the sequence within an expected rule.
    struct Place {
        Index node;
        std::uint64_t passed;  ///< complete repetitions of the rule
    };

    Index new_node(Repeated repeated, Index previous, Index next);
    void free_node(Index node);
    void use(Repeated repeated, int change);
    Index new_rule();
    void free_rule(Index rule);
    [[nodiscard]] bool is_guard(Index node) const;
    [[nodiscard]] Index last() const;

    void add(Repeated repeated);
    void reduce();
    void check(Index left);
    void match(Index left, Index equal_pair);
    [[nodiscard]] Index rule_that_is(Index left) const;
    Index rule_of_pair(Index left);
    void replace(Index left, Index rule);
    void expand_if_used_once(Index node);
    void join(Index left);
    void unlink(Index node);

    [[nodiscard]] std::uint64_t slot_of(Index left) const;
    [[nodiscard]] std::uint64_t slot_of_pair(Index left) const;
    [[nodiscard]] bool same_pair(Index a, Index b) const;
    Index find_or_insert(Index left);
    void forget(Index left);
    void grow_table();

    void expect_again();
    bool expect_rest(std::uint32_t symbol);
    [[nodiscard]] std::uint32_t first_number(Index node) const;
    void descend();
    void step();
    void give_up_expectation();

    std::vector<Node> nodes_;
    std::vector<Index> free_nodes_;
    std::vector<Rule> rules_;
    std::vector<Index> free_rules_;
    std::vector<Index> table_;  ///< left nodes of pairs by hash; open addressing
    std::size_t pairs_ = 0;
    std::size_t live_nodes_ = 0;
    std::vector<Index> pending_;   ///< left nodes of pairs to be examined
    std::vector<Place> expected_;  ///< innermost place last; empty: nothing is expected
    Index expected_rule_ = 0;
};

}  // namespace waywiser::trace
