/// Integers as bits, in codes that adapt to earlier values.
///
/// BitWriter and BitReader have the same `code` and `code_two`, so that a model of values (call_columns.hpp) exists
/// once for both directions and cannot differ between them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace waywiser::trace {

/// The order k of an Exp-Golomb code, which follows the usual size of the values. Unlike Rice codes, these codes stay
/// short for rare values that are far larger than the others, such as waiting times. Source: J. Teuhola, "A compression
/// method for clustered bit-vectors", Information Processing Letters 7(6), 1978, pp. 308-311.
class AdaptiveOrder {
public:
    [[nodiscard]] unsigned bits() const { return kBits[static_cast<unsigned>(usual_width_) / (kOne / 2)]; }

    /// Codes a value whose size only its own code's order helps to predict.
    /// \param bits  BitWriter or BitReader
    template <class Bits>
    void code(Bits& bits, std::uint64_t& value) {
        bits.code(this->bits(), value);
        learn(value);
    }

    void learn(std::uint64_t value) {
        const auto width = static_cast<std::int32_t>(std::bit_width(value)) * kOne;
        usual_width_ += (width - usual_width_) / 8;
    }

private:
    static constexpr std::int32_t kOne = 256;  ///< fractions of a bit
    static constexpr unsigned kMostBits = 32;
    /// The usual width, rounded to bits, by twice the width.
    static constexpr auto kBits = [] {
        std::array<std::uint8_t, 2 * 64 + 1> bits{};
        for (unsigned halves = 1; halves < bits.size(); ++halves) {
            bits[halves] = static_cast<std::uint8_t>(std::min((halves - 1) / 2, kMostBits));
        }
        return bits;
    }();

    std::int32_t usual_width_ = 10 * kOne;
};

/// A code of order k is n zero bits, a one, and n + k bits. This many zero bits mean that 64 bits follow.
inline constexpr unsigned kEscapeBits = 24;

class BitWriter {
public:
    /// \param k  the code's order
    void code(unsigned k, std::uint64_t value) {
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
    }

    void code_two(unsigned k, std::uint64_t value, unsigned other_k, std::uint64_t other_value) {
        code(k, value);
        code(other_k, other_value);
    }

    [[nodiscard]] std::size_t size() const { return used_; }

    /// \return the bytes; the writer then starts anew
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
    /// Bytes of padding required after the data, so that words can be loaded up to the end.
    static constexpr std::size_t kPadding = 16;

    BitReader() = default;
    /// \param bytes  data that are followed by padding, which is not counted
    explicit BitReader(std::string_view bytes) : bytes_(bytes.data()), end_(bytes.size() * 8) {}

    /// \param k  the code's order
    /// \throws Error  if the bytes end within the code
    void code(unsigned k, std::uint64_t& value) {
        const Code read(word(), k);
        if (has(read.bits)) {
            value = read.value;
            at_ += read.bits;
        } else {
            std::tie(value, *this) = far_value(*this, k);
        }
    }

    /// Reads two codes as two calls of `code` would, but from one word if it holds both.
    /// \throws Error  if the bytes end within a code
    void code_two(unsigned k, std::uint64_t& value, unsigned other_k, std::uint64_t& other_value) {
        const std::uint64_t loaded = word();
        const Code first(loaded, k);
        const Code second(loaded >> (first.bits % 64U), other_k);
        if (has(first.bits + second.bits)) {
            value = first.value;
            other_value = second.value;
            at_ += first.bits + second.bits;
        } else {
            std::tie(value, *this) = far_value(*this, k);
            std::tie(other_value, *this) = far_value(*this, other_k);
        }
    }

private:
    static constexpr unsigned kMostInSight = 2 * kEscapeBits;  ///< smaller than a word and than an escaped value

    /// A code at the start of a word, if the word contains all of it.
    struct Code {
        Code(std::uint64_t word, unsigned k) {
            const auto n = static_cast<unsigned>(std::countr_zero(word | std::uint64_t{1} << kEscapeBits));
            const std::uint64_t least = std::uint64_t{1} << k;
            const std::uint64_t leading_bit = least << n;
            value = ((word >> n >> 1U) & (leading_bit - 1U)) + leading_bit - least;
            bits = 2 * n + 1U + k;
        }
        std::uint64_t value;
        unsigned bits;
    };

    /// \return true if a word contains codes of this many bits
    [[nodiscard]] bool has(unsigned bits) const { return bits <= kMostInSight && at_ + bits <= end_; }

    /// Reads a code of any length. The reader is passed by value, so that it stays in registers when codes are short.
    /// \return the code's value, and the reader after it
    [[nodiscard]] static std::pair<std::uint64_t, BitReader> far_value(BitReader in, unsigned k);

    /// The next bits, at least 57 of them.
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
