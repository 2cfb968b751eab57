/// Keys, numbered in the order in which they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace waywiser {

/// A hash table of numbers alone (open addressing): four bytes a slot, however large a key is.
template <class Key, class Hash>
class KeyNumbers {
public:
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
    [[nodiscard]] const Key& key(std::uint32_t number) const { return keys_[number]; }

    /// \return the number of the key, which is `size() - 1` if it is new
    std::uint32_t number(const Key& key) {
        if (2 * (keys_.size() + 1) > slots_.size()) grow();
        std::uint32_t& slot = slots_[find(key)];
        if (slot == 0) {
            keys_.push_back(key);
            slot = size();
        }
        return slot - 1;
    }

private:
    [[nodiscard]] std::size_t find(const Key& key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = Hash{}(key)&mask;
        while (slots_[i] != 0 && !(keys_[slots_[i] - 1] == key)) i = (i + 1) & mask;
        return i;
    }

    void grow() {
        slots_.assign(slots_.empty() ? 8 : 2 * slots_.size(), 0);
        for (std::uint32_t number = 0; number < keys_.size(); ++number) slots_[find(keys_[number])] = number + 1;
    }

    std::vector<Key> keys_;
    std::vector<std::uint32_t> slots_;  ///< numbers plus 1
};

}  // namespace waywiser
