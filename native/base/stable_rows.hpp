/// Rows of items whose addresses never change, however many rows are added.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "base/large_pages.hpp"

namespace waywiser {

/// Rows that are stored consecutively in blocks, so that a row costs no allocation of its own.
template <class Item>
class StableRows {
    static_assert(std::is_trivially_copyable_v<Item> && std::is_trivially_destructible_v<Item>);

public:
    /// Announces about how many items will be added. Many items lie on large pages from the first one on.
    void expect(std::size_t items) { many_ = 4 * items * sizeof(Item) >= kLargePage; }

    /// \return address of the row's copy
    Item* add(std::span<const Item> row) {
        if (row.size() > left_.size()) {
            const std::size_t items = std::max(kItems, row.size());
            const bool few = blocks_.empty() && !many_;
            blocks_.emplace_back(static_cast<Item*>(few ? aligned_room(kLargePage, items * sizeof(Item))
                                                        : room_on_large_pages(items * sizeof(Item))));
            left_ = {blocks_.back().get(), items};
        }
        Item* begin = left_.data();
        std::uninitialized_copy(row.begin(), row.end(), begin);
        left_ = left_.subspan(row.size());
        return begin;
    }

private:
    static constexpr std::size_t kItems = kLargePage / sizeof(Item);

    std::vector<std::unique_ptr<Item, FreeRoom>> blocks_;
    std::span<Item> left_;  ///< rest of the last block
    bool many_ = false;
};

}  // namespace waywiser
