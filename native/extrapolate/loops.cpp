#include "extrapolate/loops.hpp"

#include <algorithm>

#include "base/flat_map.hpp"

namespace waywiser::extrapolate {
namespace {

/// Largest number of parts in a loop's body.
constexpr std::size_t kMostParts = 512;

void describe(Part& part) {
    if (!part.is_loop()) {
        part.hash = scattered(part.symbol);
        return;
    }
    std::uint64_t hash = 1;
    for (const Part& inner : part.body) hash = scattered(hash + inner.hash);
    part.hash = scattered(hash ^ scattered(part.count));
}

bool same(const Part* a, const Part* b, std::size_t length) {
    for (std::size_t i = length; i-- > 0;) {
        if (a[i].hash != b[i].hash) return false;
    }
    return true;
}

/// Merges the last parts with an equal loop, or with equal parts, before them.
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

/// Removes the calls that match `others` from the start of `rest`.
/// \return false if `rest` does not start with them
bool take_alike(std::span<const Part>& rest, const std::vector<Part>& others, std::vector<Part>& taken) {
    for (const Part& other : others) {
        if (rest.empty()) return false;
        const Part& next = rest.front();
        if (!other.is_loop()) {
            if (next.is_loop() || next.symbol != other.symbol) return false;
            taken.push_back(next);
            rest = rest.subspan(1);
            continue;
        }
        Part loop;
        std::span<const Part> body = next.body;
        if (next.is_loop() && take_alike(body, other.body, loop.body) && body.empty()) {
            loop.count = next.count;
            rest = rest.subspan(1);
        } else {
            loop.body.clear();
            if (!take_alike(rest, other.body, loop.body)) return false;
        }
        describe(loop);
        taken.push_back(std::move(loop));
    }
    return true;
}

}  // namespace

std::optional<std::vector<Part>> alike(const std::vector<Part>& parts, const std::vector<Part>& others) {
    std::span<const Part> rest = parts;
    std::vector<Part> taken;
    if (!take_alike(rest, others, taken) || !rest.empty()) return {};
    return taken;
}

std::vector<Part> loops_of(std::span<const std::uint32_t> symbols) {
    std::vector<Part> parts;
    for (const std::uint32_t symbol : symbols) {
        Part part;
        part.symbol = symbol;
        describe(part);
        parts.push_back(std::move(part));
        while (fold_end(parts)) {
        }
    }
    return parts;
}

}  // namespace waywiser::extrapolate
