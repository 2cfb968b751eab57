/// Many items of one kind whose addresses never change, however many are added.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/large_pages.hpp"

namespace waywiser {

/// Items in blocks, which are on large pages if there are many.
template <class Item>
class StableItems {
public:
    StableItems() = default;
    StableItems(const StableItems&) = delete;
    StableItems& operator=(const StableItems&) = delete;
    ~StableItems() {
        for (std::size_t i = 0; i < size_; ++i) std::destroy_at(&(*this)[i]);
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] Item& operator[](std::size_t i) { return blocks_[i / kItems].get()[i % kItems]; }
    [[nodiscard]] const Item& operator[](std::size_t i) const { return blocks_[i / kItems].get()[i % kItems]; }

    /// Announces about how many items will be added. Many items lie on large pages from the first one on.
    void expect(std::size_t items) { many_ = 4 * items * sizeof(Item) >= kLargePage; }

    Item& add() {
        if (size_ == blocks_.size() * kItems) blocks_.push_back(block());
        return *std::construct_at(&(*this)[size_++]);
    }

private:
    /// Number of items per block: a power of two that fills whole large pages.
    static constexpr std::size_t kItems = kLargePage / (sizeof(Item) & (0 - sizeof(Item)));

    using Block = std::unique_ptr<Item, FreeRoom>;

    /// Memory for a block's items, which are not constructed yet.
    [[nodiscard]] Block block() const {
        // A small job touches only a few pages of the first block.
        constexpr std::size_t kBytes = kItems * sizeof(Item);
        const bool few = blocks_.empty() && !many_;
        return Block(static_cast<Item*>(few ? aligned_room(kLargePage, kBytes) : room_on_large_pages(kBytes)));
    }

    std::vector<Block> blocks_;
    std::size_t size_ = 0;
    bool many_ = false;
};

}  // namespace waywiser
