/// Values of a rank, which are written to a checkpoint, and read in the same order.
#pragma once

#include "base/error.hpp"

#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace waywiser::rupture {

class Saved {
public:
    template <class Value>
    void operator()(const Value& value) {
        static_assert(std::is_trivially_copyable_v<Value>);
        const auto* bytes = reinterpret_cast<const char*>(&value);
        bytes_.insert(bytes_.end(), bytes, bytes + sizeof value);
    }
    [[nodiscard]] std::span<const char> bytes() const { return bytes_; }

private:
    std::vector<char> bytes_;
};

class SavedReader {
public:
    explicit SavedReader(std::span<const char> bytes) : rest_(bytes) {}

    /// \throws Error  if nothing is left
    template <class Value>
    void operator()(Value& value) {
        static_assert(std::is_trivially_copyable_v<Value>);
        if (rest_.size() < sizeof value) throw Error("a checkpoint ends too early");
        std::memcpy(&value, rest_.data(), sizeof value);
        rest_ = rest_.subspan(sizeof value);
    }

private:
    std::span<const char> rest_;
};

}  // namespace waywiser::rupture
