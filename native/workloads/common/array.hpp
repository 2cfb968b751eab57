/// A large array whose memory is first written by its user, not by its constructor.
#pragma once

#include "base/large_pages.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace waywiser {

/// An array of fixed size, uninitialised, on 2 MiB pages where the system grants them. With 4 KiB pages, a matrix with
/// 320 B per row costs one page fault every 13 rows, which takes longer than computing those rows.
template <typename T>
class Array {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Array() = default;
    explicit Array(std::size_t size) : size_(size) {
        if (size == 0) return;
        const std::size_t bytes = size * sizeof(T);
        data_ = static_cast<T*>(bytes < kLargePage ? aligned_room(64, bytes) : room_on_large_pages(bytes));
    }
    Array(Array&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Array& operator=(Array&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~Array() { FreeRoom()(data_); }

    /// Makes the system provide the pages now, so that the first write does not include the time of page faults. Each
    /// of the `parts` equal parts may be touched by a different thread.
    void touch_pages(int part = 0, int parts = 1) {
        constexpr std::size_t page_bytes = 4096;
        auto* bytes = reinterpret_cast<unsigned char*>(data_);
        const std::size_t pages = (size_ * sizeof(T) + page_bytes - 1) / page_bytes;
        const auto cut = [&](int k) { return pages * static_cast<std::size_t>(k) / static_cast<std::size_t>(parts); };
        for (std::size_t page = cut(part); page < cut(part + 1); ++page) bytes[page * page_bytes] = 0;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] T* data() { return data_; }
    [[nodiscard]] const T* data() const { return data_; }
    [[nodiscard]] T& operator[](std::int64_t i) { return data_[i]; }
    [[nodiscard]] const T& operator[](std::int64_t i) const { return data_[i]; }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace waywiser
