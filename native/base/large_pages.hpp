/// Memory for many items on large pages, if the system grants them. With small pages, every access to a distant item
/// also costs a look-up of its page.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

namespace waywiser {

inline constexpr std::size_t kLargePage = std::size_t{1} << 21U;

/// \return memory that FreeRoom frees
/// \throws std::bad_alloc
[[nodiscard]] inline void* aligned_room(std::size_t alignment, std::size_t bytes) {
    void* begin = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (begin == nullptr) throw std::bad_alloc();
    return begin;
}

/// Allocates like `aligned_room`, in whole large pages.
[[nodiscard]] inline void* room_on_large_pages(std::size_t bytes) {
    void* begin = aligned_room(kLargePage, bytes);
    static_cast<void>(madvise(begin, (bytes + kLargePage - 1) / kLargePage * kLargePage, MADV_HUGEPAGE));
    return begin;
}

/// Frees memory of `aligned_room`.
struct FreeRoom {
    void operator()(void* begin) const { std::free(begin); }  // NOLINT(cppcoreguidelines-no-malloc)
};

/// An allocator (C++20, 16.4.4.6.1) that uses large pages for arrays of at least one page.
template <class Item>
struct LargePages {
    using value_type = Item;

    LargePages() = default;
    template <class Other>
    explicit(false) LargePages(const LargePages<Other>& /*other*/) {}

    [[nodiscard]] Item* allocate(std::size_t items) const {
        const std::size_t bytes = items * sizeof(Item);
        return static_cast<Item*>(bytes >= 2 * kLargePage
                                      ? room_on_large_pages(bytes)
                                      : aligned_room(std::max(alignof(Item), alignof(std::max_align_t)), bytes));
    }
    void deallocate(Item* items, std::size_t /*count*/) const { FreeRoom()(items); }

    template <class Other>
    [[nodiscard]] bool operator==(const LargePages<Other>& /*other*/) const {
        return true;
    }
};

template <class Item>
using LargeVector = std::vector<Item, LargePages<Item>>;

}  // namespace waywiser
