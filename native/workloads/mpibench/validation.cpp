#include "workloads/mpibench/validation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace waywiser::mpibench {
namespace {

/// Period of the elements, which is a prime, so that a shift by a block, a cache line or a page is detected.
constexpr int period = 13;

/// Content of a receive buffer before a message.
constexpr std::byte spoilt{0xA5};

bool untouched(const std::byte* first, const std::byte* last) {
    return std::all_of(first, last, [](std::byte value) { return value == spoilt; });
}

using Pattern = std::array<int, period>;

/// Returns small numbers, whose sums every datatype holds exactly (char wraps around as in the library).
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

Pattern expected(const Expected& content, MPI_Op op, std::int64_t iteration) {
    // An offset of one element and an offset of one iteration have the same effect on the pattern.
    const std::int64_t start = iteration + content.start;
    Pattern result = sent_by(content.first, content.block, start);
    for (int rank = content.first + content.step; rank <= content.last; rank += content.step) {
        const Pattern next = sent_by(rank, content.block, start);
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

/// True if the sent elements among the first `count` are as expected, and the elements between them untouched.
bool same(const std::byte* right, const std::byte* block, int count, const Call& call) {
    const auto bytes = [&](int elements) {
        return static_cast<std::size_t>(elements) * static_cast<std::size_t>(call.element.bytes);
    };
    const bool spoiled_before = call.receive != call.send;
    int next = 0;
    for (const Run& run : call.runs) {
        const int last = std::min(run.start + run.count, count);
        if (spoiled_before && !untouched(block + bytes(next), block + bytes(run.start))) return false;
        if (std::memcmp(right + bytes(run.start), block + bytes(run.start), bytes(last - run.start)) != 0) return false;
        next = last;
    }
    return !spoiled_before || next >= count || untouched(block + bytes(next), block + bytes(count));
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
        write(block_of(call.send, call, block), call.elements, call.element.type, sent_by(call.rank, block, iteration));
    }
    if (call.receive == call.send) return;  // both buffers are memory of a window
    const auto blocks = static_cast<std::size_t>(count_of(benchmark.receives, call));
    std::fill_n(call.receive, blocks * static_cast<std::size_t>(call.bytes), spoilt);
}

bool holds(const Benchmark& benchmark, const Call& call, std::int64_t iteration) {
    Buffer right(static_cast<std::size_t>(call.bytes));
    for (int block = 0; block < count_of(benchmark.receives, call); ++block) {
        const Expected content = benchmark.expects(call, block);
        if (content.first > content.last) continue;
        const int count = content.count < 0 ? call.elements : content.count;
        write(right.data(), count, call.element.type, expected(content, call.operation.op, iteration));
        if (!same(right.data(), block_of(call.receive, call, block), count, call)) return false;
    }
    return true;
}

}  // namespace waywiser::mpibench
