/// Sequences folded and unfolded: short ones of every kind, random programs of nested loops, and
/// loops whose rules must not grow with their iterations.
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "trace/encoding/fold.hpp"
#include "trace/encoding/sequence.hpp"

namespace {

using namespace waywiser::trace;

using Sequence = std::vector<std::uint32_t>;
using Random = std::mt19937_64;

int failed = 0;

void expect(bool holds, const std::string& what) {
    if (holds) return;
    std::printf("%s\n", what.c_str());
    ++failed;
}

/// A folded sequence as the file stores it.
struct Folded {
    std::string bytes;
    std::uint32_t rule;
};

template <class Append>
Folded fold(Append append) {
    Fold folding;
    append(folding);
    RuleTable table;
    const std::uint32_t rule = table.add(folding.finish());
    return {.bytes = table.encode(), .rule = rule};
}

Folded fold(const Sequence& sequence) {
    return fold([&](Fold& folding) {
        for (const std::uint32_t number : sequence) folding.append(number);
    });
}

Sequence unfold(const Folded& folded, std::uint64_t from) {
    const Rules rules(folded.bytes);
    Unfold unfolding(rules);
    unfolding.start(folded.rule, from);
    Sequence sequence;
    for (Unfold::Run run = unfolding.next(); !run.numbers.empty(); run = unfolding.next()) {
        for (std::uint64_t i = 0; i < run.times; ++i) {
            sequence.insert(sequence.end(), run.numbers.begin(), run.numbers.end());
        }
    }
    return sequence;
}

void check(const Sequence& sequence, std::size_t from, const std::string& what) {
    const Sequence expected(sequence.begin() + static_cast<std::ptrdiff_t>(from), sequence.end());
    expect(unfold(fold(sequence), from) == expected, what + " does not unfold to itself");
}

void check_short_sequences() {
    for (std::size_t length = 1; length <= 11; ++length) {
        for (unsigned bits = 0; bits < 1U << length; ++bits) {
            Sequence sequence;
            for (std::size_t i = 0; i < length; ++i) sequence.push_back(bits >> i & 1U);
            check(sequence, bits % length, "a sequence of two numbers");
        }
    }
}

/// Loops in loops; some do the same each time.
void run(Random& random, int depth, unsigned kinds, Sequence& sequence) {
    const auto repetitions = 1 + random() % 6;
    const auto parts = 1 + random() % 4;
    const bool varies = random() % 2 == 0;
    const Random same = random;
    for (std::uint64_t i = 0; i < repetitions; ++i) {
        if (!varies) random = same;
        for (std::uint64_t part = 0; part < parts; ++part) {
            if (depth > 0 && random() % 2 == 0) {
                run(random, depth - 1, kinds, sequence);
            } else {
                sequence.push_back(static_cast<std::uint32_t>(random() % kinds));
            }
        }
    }
}

void check_random_programs() {
    for (unsigned seed = 0; seed < 600; ++seed) {
        Random random(seed);
        Sequence sequence;
        run(random, static_cast<int>(1 + random() % 5), 1 + static_cast<unsigned>(random() % 12), sequence);
        check(sequence, random() % sequence.size(), "program " + std::to_string(seed));
    }
}

/// A solver: communication, an inner loop of fixed length, a reduction.
Folded solver(std::uint64_t iterations) {
    return fold([&](Fold& folding) {
        folding.append(100);
        std::size_t most_nodes = 0;
        for (std::uint64_t i = 0; i < iterations; ++i) {
            for (std::uint32_t part = 0; part < 3; ++part) folding.append(part);
            for (int inner = 0; inner < 3; ++inner) {
                folding.append(7);
                folding.append(8);
            }
            folding.append(9);
            most_nodes = std::max(most_nodes, folding.size());
        }
        folding.append(101);
        expect(most_nodes < 100, "a loop takes memory while it runs");
    });
}

void check_constant_size() {
    const Folded thousand = solver(1000);
    expect(thousand.bytes.size() == solver(1000000).bytes.size(), "a loop's size depends on its iterations");
    expect(thousand.bytes.size() < 64, "a loop is not folded");
}

/// Molecular dynamics: most steps are the same, some are longer, at irregular intervals.
void check_irregular_steps() {
    Random random(1);
    std::size_t longer_steps = 0;
    std::size_t calls = 0;
    const Folded folded = fold([&](Fold& folding) {
        for (; longer_steps < 2000; ++longer_steps) {
            for (std::uint64_t steps = 3 + random() % 9; steps > 0; --steps) {
                for (std::uint32_t part = 0; part < 30; ++part) folding.append(part);
                calls += 30;
            }
            for (std::uint32_t part = 20; part < 120; ++part) folding.append(part);
            calls += 100;
        }
    });
    expect(folded.bytes.size() < 4 * longer_steps, "a step of another length takes more than its count");
    expect(unfold(folded, 0).size() == calls, "steps are lost");
}

}  // namespace

int main() {
    check_short_sequences();
    check_random_programs();
    check_constant_size();
    check_irregular_steps();
    std::printf("%d failed\n", failed);
    return failed == 0 ? 0 : 1;
}
