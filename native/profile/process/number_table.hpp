/// Maps hashes of items to their numbers: an open-addressed table of fixed size. Readers take no lock while one thread
/// adds; items are never removed.
#pragma once

#include <cstdint>

#include "profile/preload/slow_path.hpp"

namespace waywiser::profile {

class NumberTable {
public:
    static constexpr std::uint32_t kNoNumber = ~std::uint32_t{0};

    /// \param slots  a power of two, twice the number of items that will be added
    bool open(std::uint32_t slots) {
        slots_ = static_cast<std::uint32_t*>(zeroed_pages(slots * sizeof(std::uint32_t)));
        size_ = slots;
        return slots_ != nullptr;
    }

    /// \param is  returns whether a number belongs to the searched item
    template <class Is>
    [[nodiscard]] std::uint32_t find(std::uint64_t hash, Is&& is) const {
        for (std::uint32_t i = home(hash);; i = (i + 1) & (size_ - 1)) {
            const std::uint32_t plus_1 = __atomic_load_n(&slots_[i], __ATOMIC_ACQUIRE);
            if (plus_1 == 0) return kNoNumber;
            if (is(plus_1 - 1)) return plus_1 - 1;
        }
    }

    /// Adds an item under its number; the item must be complete.
    void add(std::uint64_t hash, std::uint32_t number) {
        std::uint32_t i = home(hash);
        while (slots_[i] != 0) i = (i + 1) & (size_ - 1);
        __atomic_store_n(&slots_[i], number + 1, __ATOMIC_RELEASE);
    }

private:
    [[nodiscard]] std::uint32_t home(std::uint64_t hash) const {
        return static_cast<std::uint32_t>(hash >> 32U) & (size_ - 1);
    }

    std::uint32_t* slots_ = nullptr;
    std::uint32_t size_ = 0;
};

}  // namespace waywiser::profile
