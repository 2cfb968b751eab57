/// Values by MPI handle. Each value has a number, the smallest that was free when it was added.
///
/// The entries are contiguous; an open-addressed hash table of their numbers finds them. The owner of a table locks it.
#pragma once

#include <cstdint>

#include "base/hash.hpp"
#include "profile/preload/slow_path.hpp"

namespace waywiser::profile {

inline constexpr std::uint32_t kNoNumber = ~std::uint32_t{0};

template <class Value>
class HandleTable {
public:
    /// The number of a handle; kNoNumber if it has none.
    [[nodiscard]] std::uint32_t find(std::uintptr_t key) const {
        return slots_size_ == 0 ? kNoNumber : slots_[slot_of(key)] - 1;
    }

    /// The handle with a number.
    [[nodiscard]] std::uintptr_t key_of(std::uint32_t number) const { return entries_[number].key; }

    [[nodiscard]] Value& operator[](std::uint32_t number) { return entries_[number].value; }

    /// Reserves the smallest free number, which has no handle yet, and room to link it; kNoNumber without memory.
    std::uint32_t allocate() {
        if (4 * (linked_ + 1) > 3 * slots_size_ && !grow_slots()) return kNoNumber;
        while (first_free_word_ < words() && used_[first_free_word_] == ~std::uint64_t{0}) ++first_free_word_;
        if (first_free_word_ == words() && !grow_entries()) return kNoNumber;
        const auto bit = static_cast<std::uint32_t>(__builtin_ctzll(~used_[first_free_word_]));
        used_[first_free_word_] |= std::uint64_t{1} << bit;
        return first_free_word_ * kWordBits + bit;
    }

    /// Frees a number that has no handle.
    void release(std::uint32_t number) {
        const std::uint32_t word = number / kWordBits;
        used_[word] &= ~(std::uint64_t{1} << number % kWordBits);
        if (word < first_free_word_) first_free_word_ = word;
    }

    /// Links the handle to this number, replacing any former link.
    void link(std::uintptr_t key, std::uint32_t number) {
        std::uint32_t& slot = slots_[slot_of(key)];
        linked_ += slot == 0 ? 1 : 0;
        slot = number + 1;
        entries_[number].key = key;
    }

    /// Makes the handle the number's own, although the handle is linked to another number.
    void adopt(std::uintptr_t key, std::uint32_t number) { entries_[number].key = key; }

    /// Removes a handle's link. The gap in the hash table is closed, so that no tombstone remains (Knuth, TAOCP vol. 3,
    /// section 6.4, algorithm R).
    void unlink(std::uintptr_t key) {
        --linked_;
        std::uint32_t gap = slot_of(key);
        for (std::uint32_t next = after(gap); slots_[next] != 0; next = after(next)) {
            if (!may_move(home(key_at(next)), next, gap)) continue;
            slots_[gap] = slots_[next];
            gap = next;
        }
        slots_[gap] = 0;
    }

private:
    struct Entry {
        std::uintptr_t key;
        Value value;
    };

    static constexpr std::uint32_t kWordBits = 64;
    static constexpr std::uint32_t kFirstEntries = 256;

    [[nodiscard]] std::uint32_t words() const { return entries_size_ / kWordBits; }
    [[nodiscard]] std::uint32_t home(std::uintptr_t key) const {
        return static_cast<std::uint32_t>(key * kGolden >> 32U) & (slots_size_ - 1);
    }
    [[nodiscard]] std::uint32_t after(std::uint32_t slot) const { return (slot + 1) & (slots_size_ - 1); }
    [[nodiscard]] std::uintptr_t key_at(std::uint32_t slot) const { return entries_[slots_[slot] - 1].key; }

    /// The slot of a handle, or the slot for inserting it.
    [[nodiscard]] std::uint32_t slot_of(std::uintptr_t key) const {
        std::uint32_t slot = home(key);
        while (slots_[slot] != 0 && key_at(slot) != key) slot = after(slot);
        return slot;
    }

    /// True if an entry with home `preferred` may move from slot `from` back to `to`.
    [[nodiscard]] bool may_move(std::uint32_t preferred, std::uint32_t from, std::uint32_t to) const {
        return ((from - preferred) & (slots_size_ - 1)) >= ((from - to) & (slots_size_ - 1));
    }

    bool grow_entries() {
        const std::uint32_t size = entries_size_ == 0 ? kFirstEntries : 2 * entries_size_;
        if (!grow(entries_, entries_size_, size) || !grow(used_, words(), size / kWordBits)) return false;
        entries_size_ = size;
        return true;
    }

    bool grow_slots() {
        const std::uint32_t size = slots_size_ == 0 ? 2 * kFirstEntries : 2 * slots_size_;
        auto* pages = static_cast<std::uint32_t*>(zeroed_pages(size * sizeof(std::uint32_t)));
        if (pages == nullptr) return false;
        std::uint32_t* old = slots_;
        const std::uint32_t old_size = slots_size_;
        slots_ = pages;
        slots_size_ = size;
        for (std::uint32_t i = 0; i < old_size; ++i) {
            if (old[i] != 0) slots_[slot_of(entries_[old[i] - 1].key)] = old[i];
        }
        if (old != nullptr) munmap(old, old_size * sizeof(std::uint32_t));
        return true;
    }

    Entry* entries_ = nullptr;
    std::uint64_t* used_ = nullptr;   ///< one bit per number
    std::uint32_t* slots_ = nullptr;  ///< number of an entry plus 1; 0: unused
    std::uint32_t entries_size_ = 0;
    std::uint32_t slots_size_ = 0;  ///< size of `slots_`, a power of two
    std::uint32_t linked_ = 0;
    std::uint32_t first_free_word_ = 0;  ///< no earlier word has a free bit
};

}  // namespace waywiser::profile
