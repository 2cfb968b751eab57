/// A hash table for hot paths: open addressing, without removal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/hash.hpp"

namespace waywiser {

[[nodiscard]] constexpr std::uint64_t scattered(std::uint64_t value) { return splitmix(value + kGolden); }

struct Scattered {
    std::uint64_t operator()(std::uint64_t key) const { return scattered(key); }
};

/// Maps keys to values; looking up an absent key inserts a default value.
template <class Value, class Key = std::uint64_t, class Hash = Scattered>
class FlatMap {
public:
    Value& operator[](const Key& key) {
        if (2 * (used_ + 1) > slots_.size()) grow();
        Slot& slot = *find_in(slots_, key);
        if (!slot.used) {
            slot = {.key = key, .value = {}, .used = true};
            ++used_;
        }
        return slot.value;
    }

    [[nodiscard]] Value* find(const Key& key) {
        if (slots_.empty()) return nullptr;
        Slot& slot = *find_in(slots_, key);
        return slot.used ? &slot.value : nullptr;
    }

    [[nodiscard]] std::size_t size() const { return used_; }

    /// Removes all entries; a small table keeps its memory.
    void clear() {
        if (used_ == 0) return;
        if (slots_.size() > 64) slots_.clear();
        for (Slot& slot : slots_) slot.used = false;
        used_ = 0;
    }

    /// Calls `f(key, value)` for each.
    template <class F>
    void each(F&& f) const {
        for (const Slot& slot : slots_) {
            if (slot.used) f(slot.key, slot.value);
        }
    }

private:
    struct Slot {
        Key key;
        Value value;
        bool used = false;
    };

    static Slot* find_in(std::vector<Slot>& slots, const Key& key) {
        const std::size_t mask = slots.size() - 1;
        std::size_t i = Hash{}(key)&mask;
        while (slots[i].used && !(slots[i].key == key)) i = (i + 1) & mask;
        return &slots[i];
    }

    void grow() {
        std::vector<Slot> larger(slots_.empty() ? 8 : 2 * slots_.size());
        for (Slot& slot : slots_) {
            if (slot.used) *find_in(larger, slot.key) = std::move(slot);
        }
        slots_ = std::move(larger);
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

}  // namespace waywiser
