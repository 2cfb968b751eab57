/// Keys, numbered in order of first appearance.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/large_pages.hpp"

namespace waywiser {

/// A hash table that stores only numbers (open addressing): four bytes per slot, whatever the size of a key.
///
/// Keys of a place (`Hash::place`) have cache lines of their own. A loop over neighbouring places therefore finds their
/// keys in neighbouring lines. Keys that do not fit into the lines of their place are stored anywhere.
template <class Key, class Hash>
class KeyNumbers {
public:
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
    [[nodiscard]] const Key& key(std::uint32_t number) const { return keys_[number]; }

    /// Reserves memory for about this many keys of this many consecutive places.
    void expect(std::size_t keys, std::size_t places) {
        places_ = places;
        keys_.reserve(keys);
        if (2 * keys > slots_.size()) grow(2 * keys);
    }

    /// \return the number of the key, which is `size() - 1` if it is new
    std::uint32_t number(const Key& key) {
        if (2 * (keys_.size() + 1) > slots_.size()) grow(2 * slots_.size());
        std::uint32_t& slot = slots_[find(key)];
        if (slot == 0) {
            keys_.push_back(key);
            slot = size();
        }
        return slot - 1;
    }

private:
    static constexpr std::size_t kLine = 16;  ///< slots per cache line

    [[nodiscard]] std::size_t find(const Key& key) const {
        const std::uint64_t hash = Hash{}(key);
        const std::size_t mask = slots_.size() - 1;
        const std::size_t line = Hash::place(key) * lines_of_place_ + (hash >> 32U & (lines_of_place_ - 1));
        const std::size_t begin = line * kLine & mask;
        for (std::size_t i = 0; i < kLine; ++i) {
            const std::size_t slot = begin + (hash + i) % kLine;
            if (ends_at(slot, key)) return slot;
        }
        std::size_t slot = hash & mask;
        while (!ends_at(slot, key)) slot = (slot + 1) & mask;
        return slot;
    }

    [[nodiscard]] bool ends_at(std::size_t slot, const Key& key) const {
        return slots_[slot] == 0 || keys_[slots_[slot] - 1] == key;
    }

    void grow(std::size_t slots) {
        slots_.assign(std::bit_ceil(std::max(slots, kLine)), 0);
        lines_of_place_ = std::bit_floor(std::max<std::size_t>(slots_.size() / kLine / places_, 1));
        for (std::uint32_t number = 0; number < keys_.size(); ++number) slots_[find(keys_[number])] = number + 1;
    }

    LargeVector<Key> keys_;
    LargeVector<std::uint32_t> slots_;  ///< numbers plus 1
    std::size_t places_ = 1;
    std::size_t lines_of_place_ = 1;  ///< a power of two
};

}  // namespace waywiser
