/// Collectives that are put together from others inside nodes and between them, by moving the data that their stages
/// move, byte by byte: each rank must end with what the collective promises, whichever ranks share a node. Stages with
/// a fault must not pass.
#include <algorithm>
#include <bitset>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "collectives/stages.hpp"

namespace {

using namespace waywiser::collectives;

constexpr int kMostRanks = 64;
using Ranks = std::bitset<kMostRanks>;          ///< whose data is in a byte
using Memory = std::map<std::uint64_t, Ranks>;  ///< by address; a byte that is absent holds nothing
using Addresses = std::vector<std::uint64_t>;

Ranks only(int rank) { return Ranks{}.set(static_cast<std::size_t>(rank)); }
Ranks first_ranks(int n) { return ~Ranks{} >> static_cast<std::size_t>(kMostRanks - n); }

bool has_blocks(Collective collective) {
    return collective == Collective::gather || collective == Collective::scatter || collective == Collective::allgather;
}

bool is_rooted(Collective collective) {
    return collective == Collective::bcast || collective == Collective::reduce || collective == Collective::gather ||
           collective == Collective::scatter;
}

/// Room for the data of an operation: vectors from 0 on, blocks by their rank. A barrier has one byte.
std::uint64_t room(Collective collective, const Operation& op) {
    if (collective == Collective::barrier) return 1;
    return has_blocks(collective) ? op.bytes * static_cast<std::uint64_t>(op.ranks) : op.bytes;
}

/// A rank's data before the collective, or its expected data after it.
Memory memory_of(Collective collective, const Operation& op, int rank, bool before) {
    Memory memory;
    const auto owner = [&](std::uint64_t address) {
        return static_cast<int>(address / std::max<std::uint64_t>(op.bytes, 1));
    };
    for (std::uint64_t address = 0; address < room(collective, op); ++address) {
        const bool own = owner(address) == rank;
        switch (collective) {
            case Collective::bcast:
                if (!before || rank == op.root) memory[address] = only(op.root);
                break;
            case Collective::reduce:
                if (before || rank == op.root) memory[address] = before ? only(rank) : first_ranks(op.ranks);
                break;
            case Collective::gather:
            case Collective::allgather:
                if (before ? own : collective == Collective::allgather || rank == op.root) {
                    memory[address] = only(owner(address));
                }
                break;
            case Collective::scatter:
                if (before ? rank == op.root : own) memory[address] = only(op.root);
                break;
            default: memory[address] = before ? only(rank) : first_ranks(op.ranks);
        }
    }
    return memory;
}

/// Plays all stages at once, round by round.
class Simulation {
public:
    Simulation(const Algorithm& algorithm, const Operation& op, Stages stages)
        : algorithm_(algorithm), op_(op), stages_(std::move(stages)) {
        for (int rank = 0; rank < op.ranks; ++rank) memory_.push_back(memory_of(algorithm.collective, op, rank, true));
        find_offsets();
        list_steps();
    }

    /// \return what is wrong; empty if nothing is
    std::string flaw() {
        for (int round = 0; round < end_of(stages_) && flaw_.empty(); ++round) simulate(round);
        for (int rank = 0; rank < op_.ranks; ++rank) {
            Memory& memory = memory_[index(rank)];
            for (const auto& [address, promised] : memory_of(algorithm_.collective, op_, rank, false)) {
                if (memory[address] != promised) fail("rank " + std::to_string(rank) + " ends without its result");
            }
            check_moves(rank);
        }
        const Cost cost = cost_of(stages_);
        if (cost.messages != messages_ || cost.bytes != bytes_) fail("costs not what its stages say");
        return flaw_;
    }

private:
    struct Letter {
        Addresses addresses;
        Memory content;
    };

    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    void fail(const std::string& what) {
        if (flaw_.empty()) flaw_ = what;
    }

    /// Finds where each stage's segment starts in the vector: segments of a collective on a level follow one another.
    void find_offsets() {
        std::map<std::pair<Level, Collective>, std::map<int, std::uint64_t>> bytes;
        for (const Stage& one : stages_) {
            bytes[{one.level, one.algorithm->collective}][one.begin] = one.operation.bytes;
        }
        for (const Stage& one : stages_) {
            std::uint64_t before = 0;
            for (const auto& [begin, segment] : bytes[{one.level, one.algorithm->collective}]) {
                if (begin < one.begin) before += segment;
            }
            offsets_.push_back(before);
        }
    }

    /// Addresses of a stage's blocks, for a group of ranks.
    Addresses addresses(std::size_t number, std::span<const int> group, Blocks blocks) const {
        const Stage& one = stages_[number];
        const Operation& op = one.operation;
        const int all = one.algorithm->blocks(op);
        Addresses found;
        for (int i = 0; i < blocks.count; ++i) {
            const int block = blocks.at(i) % all;
            if (one.algorithm->collective == Collective::barrier) {
                found.push_back(0);
            } else if (has_blocks(one.algorithm->collective)) {
                const int member = group[index(block)];
                const std::span<const int> held =
                    one.level == Level::within ? std::span(&member, 1) : op_.nodes->beside(member);
                for (const int rank : held) {
                    for (std::uint64_t byte = 0; byte < op_.bytes; ++byte) {
                        found.push_back(static_cast<std::uint64_t>(rank) * op_.bytes + byte);
                    }
                }
            } else {
                const std::uint64_t begin = bytes_of(*one.algorithm, op, {.first = 0, .count = block});
                const std::uint64_t end = bytes_of(*one.algorithm, op, {.first = 0, .count = block + 1});
                for (std::uint64_t byte = begin; byte < end; ++byte) found.push_back(offsets_[number] + byte);
            }
        }
        return found;
    }

    void list_steps() {
        for (int rank = 0; rank < op_.ranks; ++rank) {
            for (std::size_t i = 0; i < stages_.size(); ++i) {
                const Stage& one = stages_[i];
                const GroupOfRank group = group_of(one, rank);
                if (group.number == kNobody) continue;
                for (const Step& step : one.algorithm->schedule(one.operation, group.number)) {
                    steps_[one.begin + step.round].push_back({rank, i, group.ranks, step});
                }
            }
        }
    }

    void simulate(int round) {
        std::map<std::pair<int, int>, std::vector<Letter>> sent;
        for (const auto& [rank, stage, group, step] : steps_[round]) {
            if (step.to != kNobody) send(rank, stage, group, step, sent[{rank, group[index(step.to)]}]);
        }
        for (const auto& [rank, stage, group, step] : steps_[round]) {
            if (step.from == kNobody) continue;
            std::vector<Letter>& letters = sent[{group[index(step.from)], rank}];
            if (letters.empty()) return fail("a rank waits for what nobody sends");
            if (letters.front().addresses != addresses(stage, group, step.received)) return fail("two ranks disagree");
            take(rank, letters.front().content, step.combines);
            letters.erase(letters.begin());
        }
        for (const auto& [pair, letters] : sent) {
            if (!letters.empty()) fail("a rank sends what nobody receives");
        }
    }

    void send(int rank, std::size_t stage, std::span<const int> group, const Step& step, std::vector<Letter>& letters) {
        const int to = group[index(step.to)];
        const bool is_near = op_.nodes->beside(rank).data() == op_.nodes->beside(to).data();
        if (is_near != (stages_[stage].level == Level::within)) fail("a message leaves its level");
        Letter letter{.addresses = addresses(stage, group, step.sent), .content = {}};
        for (const std::uint64_t address : letter.addresses) {
            const auto held = memory_[index(rank)].find(address);
            if (held == memory_[index(rank)].end()) return fail("a rank sends what it has not");
            letter.content[address] = held->second;
        }
        const bool is_signal = algorithm_.collective == Collective::barrier;
        const std::uint64_t bytes = is_signal ? 0 : letter.addresses.size();
        messages_ += 1;
        bytes_ += bytes;
        sent_[{rank, to}].emplace(stages_[stage].begin + step.round, bytes);
        letters.push_back(std::move(letter));
    }

    void take(int rank, const Memory& content, bool combines) {
        for (const auto& [address, ranks] : content) {
            Ranks& here = memory_[index(rank)][address];
            const bool twice = combines && algorithm_.collective != Collective::barrier && (here & ranks).any();
            if (twice) fail("a rank adds something twice");
            here = combines ? here | ranks : ranks;
        }
    }

    /// Replays make the same moves as this test.
    void check_moves(int rank) {
        int round = 0;
        for (const Move& move : moves(stages_, rank)) {
            if (move.round < round) fail("moves are not in the order of rounds");
            round = move.round;
            if (move.to == kNobody) continue;
            Sent& sent = sent_[{rank, move.to}];
            const auto same = sent.find({move.round, move.sent_bytes});
            if (same == sent.end()) return fail("a move is no step");
            sent.erase(same);
        }
        for (const auto& [pair, bytes] : sent_) {
            if (pair.first == rank && !bytes.empty()) fail("a step is no move");
        }
    }

    using Sent = std::multiset<std::pair<int, std::uint64_t>>;  ///< rounds and bytes

    struct Done {
        int rank;
        std::size_t stage;
        std::span<const int> group;
        Step step;
    };

    const Algorithm& algorithm_;
    const Operation& op_;
    Stages stages_;
    std::vector<std::uint64_t> offsets_;        ///< by stage
    std::map<int, std::vector<Done>> steps_;    ///< by round
    std::map<std::pair<int, int>, Sent> sent_;  ///< from rank to rank
    std::vector<Memory> memory_;
    std::uint64_t messages_ = 0;
    std::uint64_t bytes_ = 0;
    std::string flaw_;
};

using Layout = std::vector<std::int64_t>;

/// By rank, its node.
const std::vector<Layout> kLayouts = {
    {0, 0, 1, 1},
    {0, 1, 0, 1},
    {0, 0, 0, 1, 1, 1},
    {0, 0, 1, 1, 2, 2},
    {7, 3, 3, 7, 5, 5},
    {0, 1, 2, 0, 1, 2, 0, 1, 2},
    {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3},
    {0, 0, 1, 1, 2, 2, 3, 3, 4, 4},
    {0, 0, 0, 1},
    {0, 1, 1, 1, 1, 2, 2},
    {4, 4, 2, 2, 9},
};

std::vector<Operation> operations(Collective collective, const Nodes& nodes) {
    std::vector<Operation> found;
    const int roots = is_rooted(collective) ? nodes.ranks() : 1;
    for (int root = 0; root < roots; ++root) {
        for (const std::uint64_t bytes : {0, 1, 7, 24, 240}) {
            if (collective == Collective::barrier && bytes > 0) continue;
            const Operation op{.ranks = nodes.ranks(), .root = root, .bytes = bytes, .nodes = &nodes};
            found.push_back(op);
            for (const std::uint64_t segment : {5, 8, 36}) {
                if (bytes < segment || has_blocks(collective)) continue;
                found.push_back(op);
                found.back().segment_bytes = segment;
                if (bytes % 8 != 0) continue;
                found.push_back(found.back());
                found.back().element_bytes = 8;
            }
        }
    }
    return found;
}

/// Each stage is left out in turn, and made with another place or root, and begins too early: all of it must be seen.
int faults_that_pass(const Algorithm& algorithm) {
    const Nodes nodes(Layout{0, 0, 0, 1, 1, 1, 2, 2, 2});
    const Operation op{.ranks = 9,
                       .root = is_rooted(algorithm.collective) ? 4 : 0,
                       .bytes = algorithm.collective == Collective::barrier ? 0U : 24U,
                       .segment_bytes = has_blocks(algorithm.collective) ? 0U : 10U,
                       .nodes = &nodes};
    const Stages whole = stages_by(algorithm, op);
    int passed = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        Stages without = whole;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
        passed += Simulation(algorithm, op, without).flaw().empty();
        Stages early = whole;
        if (early[i].begin > 0) {
            early[i].begin = 0;
            passed += Simulation(algorithm, op, early).flaw().empty();
        }
        if (algorithm.collective == Collective::barrier || whole[i].algorithm->collective == Collective::allgather)
            continue;
        Stages astray = whole;
        astray[i].operation.root = (astray[i].operation.root + 1) % astray[i].operation.ranks;
        passed += Simulation(algorithm, op, astray).flaw().empty();
    }
    return passed;
}

}  // namespace

int main() {
    int simulated = 0;
    int refused = 0;
    int failed = 0;
    int passed = 0;
    int composed = 0;
    for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.stages == nullptr) continue;
        ++composed;
        for (const Layout& layout : kLayouts) {
            const Nodes nodes(layout);
            for (const Operation& op : operations(algorithm.collective, nodes)) {
                if (!algorithm.supports(op)) {
                    ++refused;
                    continue;
                }
                ++simulated;
                const std::string flaw = Simulation(algorithm, op, stages_by(algorithm, op)).flaw();
                if (flaw.empty()) continue;
                ++failed;
                std::printf("%s of %s, %d ranks on %d nodes, root %d, %llu bytes in segments of %llu: %s\n",
                            algorithm.name.data(), waywiser::name_of(algorithm.collective).data(), op.ranks,
                            nodes.count(), op.root, static_cast<unsigned long long>(op.bytes),
                            static_cast<unsigned long long>(op.segment_bytes), flaw.c_str());
            }
        }
        passed += faults_that_pass(algorithm);
    }
    std::printf("%d algorithms, %d operations, %d refused, %d failed; %d faults passed\n", composed, simulated, refused,
                failed, passed);
    return composed >= 7 && simulated > 500 && failed == 0 && passed == 0 ? 0 : 1;
}
