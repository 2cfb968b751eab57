#include "place/pattern.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace waywiser::place {
namespace {

/// Start of each rank's partners, with room for several entries of a pair and for both of its directions.
std::vector<std::uint64_t> first_places(std::uint32_t ranks, std::span<const Pattern::Entry> entries) {
    std::vector<std::uint64_t> first(std::size_t{ranks} + 1);
    for (const Pattern::Entry& entry : entries) {
        require(entry.from < ranks && entry.to < ranks,
                "a matrix entry is of rank " + std::to_string(std::max(entry.from, entry.to)) +
                    ", but its ranks are 0 to " + std::to_string(ranks) + " less 1");
        if (entry.from == entry.to) continue;
        ++first[std::size_t{entry.from} + 1];
        ++first[std::size_t{entry.to} + 1];
    }
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    return first;
}

}  // namespace

Pattern::Pattern(std::uint32_t ranks, std::span<const Entry> entries) : first_(first_places(ranks, entries)) {
    partners_.resize(first_.back());
    std::vector<std::uint64_t> next(first_.begin(), first_.end() - 1);
    for (const auto& [from, to, bytes, messages] : entries) {
        if (from == to) continue;
        partners_[next[from]++] = {.rank = to, .bytes = bytes, .messages = messages};
        partners_[next[to]++] = {.rank = from};
    }
    std::uint64_t end = 0;
    std::uint64_t begin = 0;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::uint64_t last = first_[rank + 1];
        std::sort(partners_.begin() + static_cast<std::ptrdiff_t>(begin),
                  partners_.begin() + static_cast<std::ptrdiff_t>(last),
                  [](const Partner& a, const Partner& b) { return a.rank < b.rank; });
        first_[rank] = end;
        for (std::uint64_t i = begin; i < last; ++i) {
            if (end > first_[rank] && partners_[end - 1].rank == partners_[i].rank) {
                partners_[end - 1].bytes += partners_[i].bytes;
                partners_[end - 1].messages += partners_[i].messages;
            } else {
                partners_[end++] = partners_[i];
            }
        }
        begin = last;
    }
    first_.back() = end;
    partners_.resize(end);
    partners_.shrink_to_fit();
}

}  // namespace waywiser::place
