/// Every algorithm of the table, by moving the data that its schedule moves: for 1 to 33 ranks, several
/// roots and sizes, each rank must end with what the collective promises, and the bytes on the way must
/// be what the table says that they cost. Schedules with a fault must not pass.
#include <algorithm>
#include <array>
#include <bitset>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "collectives/schedule.hpp"

namespace {

using namespace waywiser::collectives;

constexpr int kMostRanks = 33;

/// The ranks whose data is in a block; for a block that was reduced, those that were added up.
struct Content {
    std::bitset<kMostRanks> ranks;
    int to = kNobody;      ///< of alltoall: for whom it is
    bool in_order = true;  ///< what was added bordered on what was there

    [[nodiscard]] bool operator==(const Content&) const = default;
};
using Memory = std::map<int, Content>;  ///< block -> content; a block that is absent holds nothing
using Schedules = std::vector<Schedule>;

Content only(int rank, int to = kNobody) { return {std::bitset<kMostRanks>{}.set(static_cast<std::size_t>(rank)), to}; }

Content first_ranks(int n) {
    Content content;
    for (int i = 0; i < n; ++i) content.ranks |= only(i).ranks;
    return content;
}

bool reduces(Collective collective) {
    return collective == Collective::reduce || collective == Collective::allreduce ||
           collective == Collective::reduce_scatter || collective == Collective::scan;
}

/// A rank's data before the collective (\p before), or its expected data after it.
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
            for (int d = before ? 0 : 1; d < p; ++d) {
                memory[d] = before ? only(rank, (rank + d) % p) : only((rank - d + p) % p, rank);
            }
            break;
    }
    return memory;
}

/// A message on its way.
struct Letter {
    Blocks blocks;
    Memory content;
};

/// Moves the data of one operation.
class Simulation {
public:
    Simulation(const Algorithm& algorithm, const Operation& op, const Schedules& schedules)
        : algorithm_(algorithm), op_(op), blocks_(algorithm.blocks(op)), schedules_(schedules) {
        for (int rank = 0; rank < static_cast<int>(schedules.size()); ++rank) {
            const bool is_switch = rank >= op.ranks;
            memory_.push_back(is_switch ? Memory{} : memory_of(algorithm.collective, op, blocks_, rank, true));
            from_below_.emplace_back();
            for (const Step& step : schedules[index(rank)]) rounds_.insert(step.round);
        }
    }

    /// \return what is wrong; empty if nothing is
    std::string flaw() {
        for (const int round : rounds_) simulate(round);
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

    /// All send what they had before the round; messages between two ranks arrive in their order.
    void simulate(int round) {
        std::map<std::pair<int, int>, std::vector<Letter>> sent;
        for (int rank = 0; rank < static_cast<int>(schedules_.size()); ++rank) {
            for (const Step& step : schedules_[index(rank)]) {
                if (step.round != round || step.to == kNobody) continue;
                if (step.to == rank) fail("rank " + std::to_string(rank) + " sends to itself");
                sent[{rank, step.to}].push_back({step.sent, content_of(rank, step.sent)});
                cost_.messages += 1;
                cost_.bytes += bytes_of(algorithm_, op_, step.sent);
            }
        }
        for (int rank = 0; rank < static_cast<int>(schedules_.size()); ++rank) {
            for (const Step& step : schedules_[index(rank)]) {
                if (step.round != round || step.from == kNobody) continue;
                std::vector<Letter>& letters = sent[{step.from, rank}];
                if (letters.empty()) return fail("rank " + std::to_string(rank) + " waits for what nobody sends");
                if (letters.front().blocks != step.received) return fail("two ranks speak of different blocks");
                receive(rank, step, letters.front().content);
                letters.erase(letters.begin());
            }
        }
        for (const auto& [pair, letters] : sent) {
            if (!letters.empty()) fail("rank " + std::to_string(pair.first) + " sends what nobody receives");
        }
    }

    Memory content_of(int rank, Blocks blocks) {
        Memory content;
        for (int i = 0; i < blocks.count; ++i) {
            const auto held = memory_[index(rank)].find(blocks.at(i) % blocks_);
            if (held == memory_[index(rank)].end()) {
                fail("rank " + std::to_string(rank) + " sends what it has not");
                return content;
            }
            if (!content.insert(*held).second) fail("rank " + std::to_string(rank) + " sends a block twice");
        }
        return content;
    }

    void receive(int rank, const Step& step, const Memory& content) {
        for (const auto& [block, sent] : content) {
            const auto [here, is_new] = memory_[index(rank)].try_emplace(block, sent);
            if (step.combines && reduces(algorithm_.collective) && !is_new) {
                if ((here->second.ranks & sent.ranks).any()) {
                    return fail("rank " + std::to_string(rank) + " adds something twice");
                }
            }
            if (step.combines && step.from < rank) from_below_[index(rank)] |= sent.ranks;
            if (step.combines && !is_new)
                here->second = sum(here->second, sent);
            else
                here->second = sent;
        }
    }

    /// The order matters where operands do not commute; the linear algorithms' root lays aside its own.
    Content sum(const Content& here, const Content& sent) const {
        Content both{.ranks = here.ranks | sent.ranks};
        if (op_.commutative || !reduces(algorithm_.collective) || algorithm_.name == "linear") return both;
        std::bitset<kMostRanks> from_first = both.ranks;
        while (!from_first[0]) from_first >>= 1;
        const bool borders = from_first == first_ranks(static_cast<int>(from_first.count())).ranks;
        both.in_order = here.in_order && sent.in_order && borders;
        return both;
    }

    /// A rank's exscan is what came from those below it; its scan has its own data as well.
    void check_result(int rank) {
        if (algorithm_.collective == Collective::scan) {
            if (from_below_[index(rank)] != first_ranks(rank).ranks) fail("what comes from below is no exscan");
            return;
        }
        for (const auto& [block, content] : memory_of(algorithm_.collective, op_, blocks_, rank, false)) {
            if (memory_[index(rank)][block] != content) {
                fail("rank " + std::to_string(rank) + " ends without its result");
            }
        }
    }

    const Algorithm& algorithm_;
    const Operation& op_;
    int blocks_;
    const Schedules& schedules_;
    std::vector<Memory> memory_;
    std::vector<std::bitset<kMostRanks>> from_below_;
    std::set<int> rounds_;
    Cost cost_;
    std::string flaw_;
};

Schedules schedules_of(const Algorithm& algorithm, const Operation& op) {
    Schedules all;
    for (int rank = 0; rank < participants(algorithm, op); ++rank) all.push_back(algorithm.schedule(op, rank));
    return all;
}

/// The steps of a rank that is 0, but for peers and blocks.
bool is_rotated(const Operation& op, const Schedule& of_first, const Schedule& steps, int rank) {
    const auto turned = [&](int peer) { return peer == kNobody ? kNobody : (peer + rank) % op.ranks; };
    const auto same = [&](const Step& a, const Step& b) {
        return a.round == b.round && turned(a.to) == b.to && turned(a.from) == b.from && a.sent.count == b.sent.count &&
               a.received.count == b.received.count && a.combines == b.combines;
    };
    return std::ranges::equal(of_first, steps, same);
}

std::string flaw_of(const Algorithm& algorithm, const Operation& op) {
    const Schedules schedules = schedules_of(algorithm, op);
    for (const Schedule& steps : schedules) {
        if (!std::ranges::is_sorted(steps, {}, &Step::round)) return "steps are not in the order of rounds";
    }
    for (int rank = 0; algorithm.rotates && rank < op.ranks; ++rank) {
        if (!is_rotated(op, schedules[0], schedules[static_cast<std::size_t>(rank)], rank)) return "does not rotate";
    }
    return Simulation(algorithm, op, schedules).flaw();
}

int check(const Algorithm& algorithm, const Operation& op) {
    const std::string flaw = flaw_of(algorithm, op);
    if (flaw.empty()) return 0;
    std::printf("%s of %s, %d ranks, root %d, %llu bytes in segments of %llu, fan-out %d: %s\n", algorithm.name.data(),
                waywiser::name_of(algorithm.collective).data(), op.ranks, op.root,
                static_cast<unsigned long long>(op.bytes), static_cast<unsigned long long>(op.segment_bytes),
                op.fan_out, flaw.c_str());
    return 1;
}

bool takes_shares(Collective collective) {
    return collective == Collective::gather || collective == Collective::scatter ||
           collective == Collective::allgather || collective == Collective::reduce_scatter;
}

bool has_root(Collective collective) {
    return collective == Collective::bcast || collective == Collective::reduce || collective == Collective::gather ||
           collective == Collective::scatter;
}

/// Into segments.
bool is_cut(Collective collective) {
    return collective == Collective::bcast || collective == Collective::reduce || collective == Collective::allreduce;
}

/// Sizes: none, fewer than ranks, odd, even blocks for any number of ranks and any power of two.
int check_all(const Algorithm& algorithm, int ranks, int* simulated) {
    std::vector<std::uint64_t> shares;
    for (int i = 0; i < ranks; ++i) shares.push_back(static_cast<std::uint64_t>(i * i % 7));
    int failed = 0;
    const auto simulate = [&](const Operation& op) {
        if (!algorithm.supports(op)) return;
        failed += check(algorithm, op);
        ++*simulated;
    };
    const std::set<int> roots =
        has_root(algorithm.collective) ? std::set<int>{0, ranks / 3, ranks / 2, ranks - 1} : std::set<int>{0};
    for (const int root : roots) {
        const auto even = static_cast<std::uint64_t>(ranks) * 64;
        for (const std::uint64_t bytes : std::set<std::uint64_t>{0, 1, 7, 1000, 100003, even}) {
            if (algorithm.collective == Collective::barrier && bytes > 0) continue;
            simulate({.ranks = ranks, .root = root, .bytes = bytes});
            simulate({.ranks = ranks, .root = root, .bytes = bytes, .commutative = false});
            if (bytes == 0 || bytes == even) {
                for (const int fan_out : {2, 3, 5})
                    simulate({.ranks = ranks, .root = root, .bytes = bytes, .fan_out = fan_out});
            }
            if (bytes < 64 || !is_cut(algorithm.collective)) continue;
            simulate({.ranks = ranks, .root = root, .bytes = bytes, .segment_bytes = bytes / 7});
            simulate({.ranks = ranks, .root = root, .bytes = even, .segment_bytes = bytes / 24, .fan_out = 3});
            simulate(
                {.ranks = ranks, .root = root, .bytes = bytes / 8 * 8, .segment_bytes = bytes / 5, .element_bytes = 8});
        }
        if (takes_shares(algorithm.collective)) simulate({.ranks = ranks, .root = root, .shares = shares});
    }
    return failed;
}

/// Each step of a schedule is left out in turn, and each is sent to a wrong rank: all of it must be seen.
int faults_that_pass(const Algorithm& algorithm) {
    const int ranks = algorithm.supports({.ranks = 6, .bytes = 64}) ? 6 : algorithm.supports({.ranks = 8}) ? 8 : 2;
    const int root = algorithm.supports({.ranks = ranks, .root = 1, .bytes = 64}) ? 1 : 0;
    const Operation op{.ranks = ranks,
                       .root = root,
                       .bytes = algorithm.collective == Collective::barrier ? 0U : 64U,
                       .segment_bytes = 32};
    const Schedules whole = schedules_of(algorithm, op);
    int passed = 0;
    for (std::size_t rank = 0; rank < whole.size(); ++rank) {
        for (std::size_t i = 0; i < whole[rank].size(); ++i) {
            Schedules without = whole;
            without[rank].erase(without[rank].begin() + static_cast<std::ptrdiff_t>(i));
            passed += Simulation(algorithm, op, without).flaw().empty();
            Schedules astray = whole;
            Step& step = astray[rank][i];
            step.to = step.to == kNobody ? static_cast<int>(rank + 1) % op.ranks : kNobody;
            passed += Simulation(algorithm, op, astray).flaw().empty();
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
    return Simulation(doubling, four, twice).flaw().empty() + Simulation(doubling, four, replaces).flaw().empty() +
           Simulation(ring, four, stale).flaw().empty();
}

bool has_answer(const Schedule& steps, int from, int to, const Step& step) {
    return std::ranges::any_of(steps, [&](const Step& other) {
        const bool receives = step.to == to && other.from == from && other.received == step.sent;
        const bool sends = step.from == to && other.to == from && other.sent == step.received;
        return other.round == step.round && (receives || sends);
    });
}

/// A million ranks: the steps of one are made alone, and its partners' fit them.
int misfits_at_scale(const Algorithm& algorithm, int ranks) {
    const Operation op{.ranks = ranks,
                       .root = algorithm.collective == Collective::bcast ? 7 : 0,
                       .bytes = algorithm.collective == Collective::barrier ? 0U : 1'000'000'000U};
    if (!algorithm.supports(op)) return 0;
    int misfits = 0;
    for (const int rank : {ranks - 1, ranks / 2 + 3, 12345}) {
        int looked_at = 0;
        for (const Step& step : algorithm.schedule(op, rank)) {
            if (++looked_at > 50) break;
            for (const int peer : {step.to, step.from}) {
                if (peer == kNobody) continue;
                const bool is_there = peer >= 0 && peer < participants(algorithm, op) && peer != rank;
                misfits += !is_there || !has_answer(algorithm.schedule(op, peer), rank, peer, step);
            }
        }
    }
    if (misfits > 0) std::printf("%s: %d misfits on %d ranks\n", algorithm.name.data(), misfits, ranks);
    return misfits;
}

/// No rank has as many steps as there are ranks.
bool is_logarithmic(const Algorithm& algorithm) {
    const Operation op{.ranks = 1024, .bytes = algorithm.collective == Collective::barrier ? 0U : 1'000'000U};
    return std::ranges::all_of(std::array{0, 341, 1023},
                               [&](int rank) { return algorithm.schedule(op, rank).size() < 100; });
}

}  // namespace

int main() {
    int failed = 0;
    int simulated = 0;
    int at_scale = 0;
    int passed = agreed_faults_that_pass();
    for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.stages != nullptr) continue;  // hierarchical_schedules.cpp
        for (int ranks = 1; ranks <= kMostRanks; ++ranks) failed += check_all(algorithm, ranks, &simulated);
        passed += faults_that_pass(algorithm);
        at_scale += algorithm.supports({.ranks = 1 << 20, .bytes = 1U << 30U}) && is_logarithmic(algorithm);
        for (const int ranks : {1 << 20, 1'000'003}) {
            if (is_logarithmic(algorithm)) failed += misfits_at_scale(algorithm, ranks);
        }
    }
    std::printf("%zu algorithms, %d at scale, %d operations, %d failed; %d faults passed\n", algorithms().size(),
                at_scale, simulated, failed, passed);
    return failed == 0 && passed == 0 && at_scale >= 25 ? 0 : 1;
}
