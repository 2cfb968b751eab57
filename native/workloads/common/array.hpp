/// A large array whose memory is first written by whoever fills it, not by its constructor.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace waywiser {

/// Fixed size, uninitialised, on 2 MiB pages where the system grants them: with 4 KiB pages, a matrix of
/// 320 B a row costs one page fault every 13 rows, which is more than computing those rows.
template <typename T>
class Array {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Array() = default;
    explicit Array(std::size_t size) : size_(size) {
        const std::size_t bytes = size * sizeof(T);
        const std::size_t alignment = bytes < huge_page_bytes ? 64 : huge_page_bytes;
        const std::size_t whole_bytes = (bytes + alignment - 1) / alignment * alignment;
        if (size == 0) return;
        data_ = static_cast<T*>(std::aligned_alloc(alignment, whole_bytes));
        if (data_ == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
        if (alignment == huge_page_bytes) madvise(data_, whole_bytes, MADV_HUGEPAGE);  // advice: may be refused
#endif
    }
    Array(Array&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Array& operator=(Array&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~Array() { std::free(data_); }

    /// Makes the system hand over the pages now, so that its time is not taken for that of whoever writes first:
    /// those of one of so many equal parts, each of which a thread may touch.
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
    static constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace waywiser
