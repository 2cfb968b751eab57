/// Bytes of a block: LEB128 integers and length-prefixed text, bounds-checked on reading.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "trace/encoding/utf8.hpp"

namespace waywiser::trace {

class Encoder {
public:
    void integer(std::uint64_t value) {
        while (value >= 0x80U) {
            bytes_.push_back(static_cast<char>(value | 0x80U));
            value >>= 7U;
        }
        bytes_.push_back(static_cast<char>(value));
    }

    /// Writes an integer in at least `bytes` bytes.
    void padded_integer(std::uint64_t value, unsigned bytes) {
        for (; value >= 0x80U || bytes > 1; value >>= 7U, bytes -= bytes > 1) {
            bytes_.push_back(static_cast<char>(value | 0x80U));
        }
        bytes_.push_back(static_cast<char>(value));
    }

    /// Writes a signed integer in zigzag code, which keeps small values of either sign short.
    void signed_integer(std::int64_t value) {
        integer(static_cast<std::uint64_t>(value) << 1U ^ static_cast<std::uint64_t>(value >> 63U));
    }

    void text(std::string_view value) {
        integer(value.size());
        bytes_.append(value);
    }

    [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

class Decoder {
public:
    explicit Decoder(std::string_view bytes) : rest_(bytes) {}

    /// \throws Error  if the block ends within the integer or it has more than 64 bits
    std::uint64_t integer() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (rest_.empty()) throw Error("ends within an integer");
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
            if ((byte & 0x80U) == 0) return value;
        }
        throw Error("has an integer of more than 64 bits");
    }

    std::int64_t signed_integer() {
        const std::uint64_t value = integer();
        return static_cast<std::int64_t>(value >> 1U ^ (~(value & 1U) + 1U));
    }

    /// Reads the number of the items that follow. Each takes at least one byte, so a larger number is an error.
    std::uint64_t count() {
        const std::uint64_t n = integer();
        if (n > rest_.size()) throw Error("announces more than it holds");
        return n;
    }

    std::string text() {
        const std::uint64_t n = count();
        std::string value = valid_utf8(rest_.substr(0, n));
        rest_.remove_prefix(n);
        return value;
    }

    [[nodiscard]] std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
};

}  // namespace waywiser::trace
