#include "extrapolate/loops.hpp"

#include <algorithm>

#include "base/flat_map.hpp"

namespace waywiser::extrapolate {
namespace {

/// Parts of the longest body that is looked for.
constexpr std::size_t kMostParts = 512;

void describe(Part& part) {
    if (!part.is_loop()) {
        part.hash = part.shape = scattered(part.symbol);
        return;
    }
    std::uint64_t hash = 1;
    for (const Part& inner : part.body) hash = scattered(hash + inner.hash);
    part.hash = scattered(hash ^ scattered(part.count));
    part.shape = scattered(shape_of(part.body) ^ 1U);
}

bool same(const Part* a, const Part* b, std::size_t length) {
    for (std::size_t i = length; i-- > 0;) {
        if (a[i].hash != b[i].hash) return false;
    }
    return true;
}

/// Makes one of the last parts and an equal loop, or equal parts, before them.
bool fold_end(std::vector<Part>& parts) {
    const std::size_t size = parts.size();
    for (std::size_t length = 1; length <= std::min(kMostParts, size - 1); ++length) {
        const Part* end = parts.data() + (size - length);
        Part& before = parts[size - length - 1];
        if (before.is_loop() && before.body.size() == length && same(before.body.data(), end, length)) {
            ++before.count;
            parts.resize(size - length);
            describe(parts.back());
            return true;
        }
        if (2 * length <= size && same(end - length, end, length)) {
            Part loop{.count = 2, .body = {end, end + length}};
            describe(loop);
            parts.resize(size - 2 * length);
            parts.push_back(std::move(loop));
            return true;
        }
    }
    return false;
}

}  // namespace

std::vector<Part> loops_of(std::span<const std::uint32_t> symbols) {
    std::vector<Part> parts;
    for (const std::uint32_t symbol : symbols) {
        Part part{.symbol = symbol};
        describe(part);
        parts.push_back(std::move(part));
        while (fold_end(parts)) {}
    }
    return parts;
}

std::uint64_t shape_of(const std::vector<Part>& parts) {
    std::uint64_t shape = 0;
    for (const Part& part : parts) shape = scattered(shape + part.shape);
    return shape;
}

}  // namespace waywiser::extrapolate
