/// Integers as bits, in codes that adapt to what they coded before.
///
/// BitWriter and BitReader have the same `code`, so that a model of values (call_columns.hpp) exists
/// once for both directions and cannot differ between them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace waywiser::trace {

/// The order k of an Exp-Golomb code, which follows the usual size of the values. Unlike Rice's codes
/// these keep a rare value that is far larger than the others short, as times of waiting are.
/// Source: J. Teuhola, "A compression method for clustered bit-vectors", Information Processing
/// Letters 7(6), 1978, pp. 308-311.
class AdaptiveOrder {
public:
    [[nodiscard]] unsigned bits() const {
        const std::int32_t beyond = usual_width_ - kOne / 2;
        return beyond <= 0 ? 0U : std::min(static_cast<unsigned>(beyond) / kOne, kMostBits);
    }

    void learn(std::uint64_t value) {
        const auto width = static_cast<std::int32_t>(std::bit_width(value)) * kOne;
        usual_width_ += (width - usual_width_) / 8;
    }

private:
    static constexpr std::int32_t kOne = 256;  ///< parts of a bit
    static constexpr unsigned kMostBits = 32;
    std::int32_t usual_width_ = 10 * kOne;
};

/// A code of order k is n zero bits, a one, and n + k bits; so many zero bits say that 64 bits follow.
inline constexpr unsigned kEscapeBits = 24;

class BitWriter {
public:
    void code(AdaptiveOrder& order, const std::uint64_t& value) {
        const unsigned k = order.bits();
        if (value >> k < (std::uint64_t{1} << (kEscapeBits - 1U))) {
            const std::uint64_t shifted = value + (std::uint64_t{1} << k);
            const auto n = static_cast<unsigned>(std::bit_width(shifted)) - 1U - k;
            put(std::uint64_t{1} << n, n + 1);
            put(shifted & ((std::uint64_t{1} << (n + k)) - 1U), n + k);
        } else {
            put(0, kEscapeBits);
            put(value & 0xFFFFFFFFU, 32);
            put(value >> 32U, 32);
        }
        order.learn(value);
    }

    [[nodiscard]] std::size_t size() const { return used_; }

    /// \return the bytes, and begins anew
    [[nodiscard]] std::string take() {
        if (held_bits_ > 0) put(0, 8U - held_bits_);
        std::string bytes(bytes_, 0, used_);
        used_ = 0;
        held_ = 0;
        held_bits_ = 0;
        return bytes;
    }

private:
    /// \param bits  up to 56
    void put(std::uint64_t value, unsigned bits) {
        if (bytes_.size() < used_ + sizeof held_) bytes_.resize(2 * bytes_.size() + sizeof held_);
        held_ |= value << held_bits_;
        held_bits_ += bits;
        std::memcpy(bytes_.data() + used_, &held_, sizeof held_);
        used_ += held_bits_ / 8U;
        held_ = held_bits_ >= 64 ? 0 : held_ >> (held_bits_ & ~7U);
        held_bits_ %= 8U;
    }

    std::string bytes_;
    std::size_t used_ = 0;
    std::uint64_t held_ = 0;
    unsigned held_bits_ = 0;
};

class BitReader {
public:
    /// What must follow the bytes, so that words can be loaded to their end.
    static constexpr std::size_t kPadding = 16;

    BitReader() = default;
    /// \param bytes  with padding after them that is not counted
    explicit BitReader(std::string_view bytes) : bytes_(bytes.data()), end_(bytes.size() * 8) {}

    /// \throws Error  if the bytes end before
    void code(AdaptiveOrder& order, std::uint64_t& value) {
        if (at_ >= end_) throw Error("ends within a call");
        const unsigned k = order.bits();
        const std::uint64_t loaded = word();
        const auto n = static_cast<unsigned>(std::countr_zero(loaded | std::uint64_t{1} << kEscapeBits));
        if (n < kEscapeBits) {
            at_ += n + 1U;
            const std::uint64_t low = 2 * n + 1U + k <= kLeastInWord ? loaded >> (n + 1U) : word();
            const std::uint64_t one = std::uint64_t{1} << (n + k);
            value = (low & (one - 1U)) + one - (std::uint64_t{1} << k);
            at_ += n + k;
        } else {
            at_ += kEscapeBits;
            value = word() & 0xFFFFFFFFU;
            at_ += 32;
            value |= word() << 32U;
            at_ += 32;
        }
        order.learn(value);
    }

private:
    static constexpr unsigned kLeastInWord = 57;

    /// The next bits, at least so many.
    [[nodiscard]] std::uint64_t word() const {
        std::uint64_t loaded = 0;
        std::memcpy(&loaded, bytes_ + at_ / 8U, sizeof loaded);
        return loaded >> (at_ % 8U);
    }

    const char* bytes_ = nullptr;
    std::uint64_t at_ = 0;
    std::uint64_t end_ = 0;
};

}  // namespace waywiser::trace
