#include "workloads/mpibench/validation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace waywiser::mpibench {
namespace {

/// Elements repeat after so many: a prime, so that a shift by a block, a cache line or a page is seen.
constexpr int period = 13;

using Pattern = std::array<int, period>;

/// Small numbers, whose sums every datatype holds exactly (char as the library wraps it).
Pattern sent_by(int rank, int block, std::int64_t iteration) {
    Pattern pattern{};
    const std::int64_t start = std::int64_t{5} * rank + std::int64_t{3} * block + iteration;
    for (int i = 0; i < period; ++i) pattern[static_cast<std::size_t>(i)] = static_cast<int>((start + i) % period);
    return pattern;
}

int combine(MPI_Op op, int a, int b) {
    if (op == MPI_MAX) return std::max(a, b);
    if (op == MPI_MIN) return std::min(a, b);
    return a + b;
}

Pattern expected(const Expected& what, MPI_Op op, std::int64_t iteration) {
    // The pattern counts elements and iterations alike.
    const std::int64_t start = iteration + what.start;
    Pattern result = sent_by(what.first, what.block, start);
    for (int rank = what.first + what.step; rank <= what.last; rank += what.step) {
        const Pattern next = sent_by(rank, what.block, start);
        std::ranges::transform(result, next, result.begin(), [op](int a, int b) { return combine(op, a, b); });
    }
    return result;
}

template <typename Element>
void write(std::byte* block, int count, const Pattern& pattern) {
    for (int i = 0; i < count; ++i) {
        const auto element = static_cast<Element>(pattern[static_cast<std::size_t>(i % period)]);
        std::memcpy(block + static_cast<std::size_t>(i) * sizeof element, &element, sizeof element);
    }
}

void write(std::byte* block, int count, MPI_Datatype type, const Pattern& pattern) {
    if (type == MPI_INT) return write<int>(block, count, pattern);
    if (type == MPI_FLOAT) return write<float>(block, count, pattern);
    if (type == MPI_DOUBLE) return write<double>(block, count, pattern);
    write<signed char>(block, count, pattern);
}

std::byte* block_of(std::byte* buffer, const Call& call, int block) {
    return buffer + static_cast<std::size_t>(call.bytes) * static_cast<std::size_t>(block);
}

}  // namespace

int count_of(Blocks blocks, const Call& call) {
    switch (blocks) {
        case Blocks::none: return 0;
        case Blocks::one: return 1;
        case Blocks::each_rank: return call.size;
        case Blocks::each_neighbour: return static_cast<int>(call.neighbours.size());
        case Blocks::each_message: return call.window;
    }
    return 0;
}

void fill(const Benchmark& benchmark, const Call& call, std::int64_t iteration) {
    for (int block = 0; block < count_of(benchmark.sends, call); ++block) {
        write(block_of(call.send, call, block), call.count, call.datatype.type, sent_by(call.rank, block, iteration));
    }
    if (call.receive == call.send) return;  // memory that a window exposes
    const auto blocks = static_cast<std::size_t>(count_of(benchmark.receives, call));
    std::memset(call.receive, 0xA5, blocks * static_cast<std::size_t>(call.bytes));
}

bool holds(const Benchmark& benchmark, const Call& call, std::int64_t iteration) {
    Buffer right(static_cast<std::size_t>(call.bytes));
    for (int block = 0; block < count_of(benchmark.receives, call); ++block) {
        const Expected what = benchmark.expects(call, block);
        if (what.first > what.last) continue;
        const int count = what.count < 0 ? call.count : what.count;
        write(right.data(), count, call.datatype.type, expected(what, call.operation.op, iteration));
        const auto bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(call.datatype.bytes);
        if (std::memcmp(right.data(), block_of(call.receive, call, block), bytes) != 0) return false;
    }
    return true;
}

}  // namespace waywiser::mpibench
