/// Items whose memory is reused after their release.
#pragma once

#include <cstdint>
#include <vector>

namespace waywiser {

/// Items by number. The number that was released last is acquired first, with its item's former content.
/// \tparam Items  a deque, whose items stay where they are, or a vector
template <class Items>
class Pool {
public:
    [[nodiscard]] std::uint32_t acquire() {
        if (free_.empty()) {
            items_.emplace_back();
            return static_cast<std::uint32_t>(items_.size() - 1);
        }
        const std::uint32_t number = free_.back();
        free_.pop_back();
        return number;
    }

    void release(std::uint32_t number) { free_.push_back(number); }

    [[nodiscard]] auto& operator[](std::uint32_t number) { return items_[number]; }
    [[nodiscard]] const auto& operator[](std::uint32_t number) const { return items_[number]; }

private:
    Items items_;
    std::vector<std::uint32_t> free_;
};

}  // namespace waywiser
