/// Every algorithm of the table, by moving the data that its schedule moves: for 1 to 33 ranks, several
/// roots and sizes, each rank must end with what the collective promises, and the bytes on the way must
/// be what the table says that they cost. Schedules with a fault must not pass.
#include <bitset>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "collectives/schedule.hpp"

namespace {

using namespace waywiser::collectives;

constexpr int kMostRanks = 33;

/// The ranks whose data is in a block; for a block that was reduced, those that were added up.
using Content = std::bitset<kMostRanks>;
using Memory = std::map<int, Content>;  ///< block -> content; a block that is absent holds nothing
using Schedules = std::vector<Schedule>;

Content only(int rank) { return Content{}.set(static_cast<std::size_t>(rank)); }

Content first_ranks(int n) {
    Content content;
    for (int i = 0; i < n; ++i) content |= only(i);
    return content;
}

bool reduces(Collective collective) {
    return collective == Collective::reduce || collective == Collective::allreduce ||
           collective == Collective::reduce_scatter || collective == Collective::scan;
}

/// What a rank has before the collective (\p before) or must have after it.
Memory memory_of(Collective collective, const Operation& op, int blocks, int rank, bool before) {
    const int p = op.ranks;
    const Content all = first_ranks(p);
    Memory memory;
    const auto fill = [&](const Content& content) {
        for (int block = 0; block < blocks; ++block) memory[block] = content;
    };
    switch (collective) {
        case Collective::barrier: fill(before ? only(rank) : all); break;
        case Collective::bcast:
            if (!before || rank == op.root) fill(only(op.root));
            break;
        case Collective::reduce:
            if (before || rank == op.root) fill(before ? only(rank) : all);
            break;
        case Collective::allreduce: fill(before ? only(rank) : all); break;
        case Collective::scan: fill(before ? only(rank) : first_ranks(rank + 1)); break;
        case Collective::reduce_scatter:
            if (before)
                fill(only(rank));
            else
                memory[rank] = all;
            break;
        case Collective::gather:
        case Collective::allgather:
            if (before)
                memory[rank] = only(rank);
            else if (collective == Collective::allgather || rank == op.root)
                for (int i = 0; i < p; ++i) memory[i] = only(i);
            break;
        case Collective::scatter:
            if (before && rank == op.root) fill(only(rank));
            if (!before) memory[rank] = only(op.root);
            break;
        case Collective::alltoall:
            for (int i = 0; i < p; ++i) memory[before ? rank * p + i : i * p + rank] = only(before ? rank : i);
            break;
    }
    return memory;
}

/// Moves the data of one operation.
class Play {
public:
    Play(const Algorithm& algorithm, const Operation& op, const Schedules& schedules)
        : algorithm_(algorithm), op_(op), blocks_(algorithm.blocks(op)), schedules_(schedules) {
        for (int rank = 0; rank < op.ranks; ++rank) {
            memory_.push_back(memory_of(algorithm.collective, op, blocks_, rank, true));
            arrived_.emplace_back();
            for (const Step& step : schedules[index(rank)]) rounds_.insert(step.round);
        }
    }

    /// \return what is wrong; empty if nothing is
    std::string flaw() {
        for (const int round : rounds_) play(round);
        for (int rank = 0; rank < op_.ranks; ++rank) check_result(rank);
        const Cost expected = algorithm_.cost(op_);
        cost_.rounds = rounds_.empty() ? 0 : *rounds_.rbegin() + 1;
        if (flaw_.empty() && op_.shares.empty() && !(cost_ == expected)) flaw_ = "costs not what the table says";
        return flaw_;
    }

private:
    static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
    void fail(const std::string& what) {
        if (flaw_.empty()) flaw_ = what;
    }

    /// The step of a rank in a round; none is one that does nothing.
    Step step_of(int rank, int round) {
        Step found{.round = round};
        int steps = 0;
        for (const Step& step : schedules_[index(rank)]) {
            if (step.round != round) continue;
            found = step;
            ++steps;
        }
        if (steps > 1) fail("rank " + std::to_string(rank) + " has two steps in one round");
        return found;
    }

    /// All ranks send what they had before the round.
    void play(int round) {
        const std::vector<Memory> before = memory_;
        for (int rank = 0; rank < op_.ranks; ++rank) {
            const Step mine = step_of(rank, round);
            if (mine.to != kNobody) {
                const Step theirs = step_of(mine.to, round);
                if (theirs.from != rank || theirs.received.first != mine.sent.first ||
                    theirs.received.count != mine.sent.count) {
                    return fail("rank " + std::to_string(rank) + " sends what nobody receives");
                }
                cost_.messages += 1;
                cost_.bytes += bytes_of(algorithm_, op_, mine.sent);
            }
            if (mine.from == kNobody) continue;
            if (mine.from == rank || step_of(mine.from, round).to != rank) {
                return fail("rank " + std::to_string(rank) + " waits for what nobody sends");
            }
            receive(rank, mine, before[index(mine.from)]);
        }
    }

    void receive(int rank, const Step& step, const Memory& source) {
        for (int i = 0; i < step.received.count; ++i) {
            const int block = (step.received.first + i) % blocks_;
            const auto sent = source.find(block);
            if (sent == source.end()) return fail("rank " + std::to_string(step.from) + " sends what it has not");
            Content& here = memory_[index(rank)][block];
            if (step.combines && reduces(algorithm_.collective) && (here & sent->second).any()) {
                return fail("rank " + std::to_string(rank) + " adds something twice");
            }
            arrived_[index(rank)] = sent->second;
            here = step.combines ? here | sent->second : sent->second;
        }
    }

    void check_result(int rank) {
        for (const auto& [block, content] : memory_of(algorithm_.collective, op_, blocks_, rank, false)) {
            if (memory_[index(rank)][block] != content)
                fail("rank " + std::to_string(rank) + " ends without its result");
        }
        const bool exscan_holds = arrived_[index(rank)] == first_ranks(rank);
        if (algorithm_.collective == Collective::scan && !exscan_holds) fail("what arrives is no exscan");
    }

    const Algorithm& algorithm_;
    const Operation& op_;
    int blocks_;
    const Schedules& schedules_;
    std::vector<Memory> memory_;
    std::vector<Content> arrived_;  ///< what came last
    std::set<int> rounds_;
    Cost cost_;
    std::string flaw_;
};

Schedules schedules_of(const Algorithm& algorithm, const Operation& op) {
    Schedules all;
    for (int rank = 0; rank < op.ranks; ++rank) all.push_back(algorithm.schedule(op, rank));
    return all;
}

int check(const Algorithm& algorithm, const Operation& op) {
    const std::string flaw = Play(algorithm, op, schedules_of(algorithm, op)).flaw();
    if (flaw.empty()) return 0;
    std::printf("%s (collective %d), %d ranks, root %d, %llu bytes: %s\n", algorithm.name.data(),
                static_cast<int>(algorithm.collective), op.ranks, op.root, static_cast<unsigned long long>(op.bytes),
                flaw.c_str());
    return 1;
}

bool takes_shares(Collective collective) {
    return collective == Collective::gather || collective == Collective::scatter ||
           collective == Collective::allgather || collective == Collective::reduce_scatter;
}

int check_all(const Algorithm& algorithm, int ranks, int* played) {
    std::vector<std::uint64_t> shares;
    for (int i = 0; i < ranks; ++i) shares.push_back(static_cast<std::uint64_t>(i * i % 7));
    int failed = 0;
    for (const int root : std::set<int>{0, ranks / 2, ranks - 1}) {
        for (const std::uint64_t bytes : {0U, 1U, 7U, 1000U, 100003U}) {
            if (algorithm.collective == Collective::barrier && bytes > 0) continue;
            const Operation op{.ranks = ranks, .root = root, .bytes = bytes};
            if (!algorithm.supports(op)) continue;
            failed += check(algorithm, op);
            ++*played;
        }
        if (takes_shares(algorithm.collective)) {
            failed += check(algorithm, {.ranks = ranks, .root = root, .shares = shares});
        }
    }
    return failed;
}

/// Each step of a schedule is left out in turn, and each is sent to a wrong block: all of it must be seen.
int faults_that_pass(const Algorithm& algorithm) {
    const Operation op{.ranks = 6, .root = 1, .bytes = algorithm.collective == Collective::barrier ? 0U : 64U};
    const Schedules whole = schedules_of(algorithm, op);
    int passed = 0;
    for (std::size_t rank = 0; rank < whole.size(); ++rank) {
        for (std::size_t i = 0; i < whole[rank].size(); ++i) {
            Schedules without = whole;
            without[rank].erase(without[rank].begin() + static_cast<std::ptrdiff_t>(i));
            passed += Play(algorithm, op, without).flaw().empty();
            Schedules astray = whole;
            Step& step = astray[rank][i];
            step.to = step.to == kNobody ? static_cast<int>(rank + 1) % op.ranks : kNobody;
            passed += Play(algorithm, op, astray).flaw().empty();
        }
    }
    return passed;
}

/// Two ranks that agree on the wrong thing: only the data tells.
int agreed_faults_that_pass() {
    const Algorithm& doubling = algorithm(Collective::allreduce, "recursive doubling");
    const Operation four{.ranks = 4, .bytes = 8};
    Schedules twice = schedules_of(doubling, four);
    for (int rank = 0; rank < 4; ++rank) {
        Schedule& steps = twice[static_cast<std::size_t>(rank)];
        steps[1].to = steps[1].from = rank ^ 1;  // the same partner as before
    }
    Schedules replaces = schedules_of(doubling, four);
    for (Schedule& steps : replaces) steps[1].combines = false;
    const Algorithm& ring = algorithm(Collective::allgather, "ring");
    Schedules stale = schedules_of(ring, four);
    for (Schedule& steps : stale) {
        steps[2].sent = steps[1].sent;
        steps[2].received = steps[1].received;
    }
    return Play(doubling, four, twice).flaw().empty() + Play(doubling, four, replaces).flaw().empty() +
           Play(ring, four, stale).flaw().empty();
}

}  // namespace

int main() {
    int failed = 0;
    int played = 0;
    int passed = agreed_faults_that_pass();
    for (const Algorithm& algorithm : algorithms()) {
        for (int ranks = 1; ranks <= kMostRanks; ++ranks) failed += check_all(algorithm, ranks, &played);
        passed += faults_that_pass(algorithm);
    }
    std::printf("%zu algorithms, %d operations, %d failed; %d faults passed\n", algorithms().size(), played, failed,
                passed);
    return failed == 0 && passed == 0 ? 0 : 1;
}
