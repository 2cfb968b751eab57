/// Messages in the wire format of Protocol Buffers.
///
/// Source: "Encoding", Protocol Buffers documentation, protobuf.dev/programming-guides/encoding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace waywiser::exchange {

class ProtobufMessage {
public:
    ProtobufMessage& integer(unsigned field, std::uint64_t value) {
        varint(field << 3U);
        varint(value);
        return *this;
    }

    ProtobufMessage& fixed64(unsigned field, std::uint64_t value) {
        varint(field << 3U | 1U);
        for (unsigned shift = 0; shift < 64; shift += 8) bytes_.push_back(static_cast<char>(value >> shift));
        return *this;
    }

    ProtobufMessage& text(unsigned field, std::string_view value) {
        varint(field << 3U | 2U);
        varint(value.size());
        bytes_.append(value);
        return *this;
    }

    ProtobufMessage& message(unsigned field, const ProtobufMessage& value) { return text(field, value.bytes_); }

    [[nodiscard]] const std::string& bytes() const { return bytes_; }
    [[nodiscard]] bool empty() const { return bytes_.empty(); }

private:
    void varint(std::uint64_t value) {
        for (; value >= 0x80U; value >>= 7U) bytes_.push_back(static_cast<char>(value | 0x80U));
        bytes_.push_back(static_cast<char>(value));
    }

    std::string bytes_;
};

}  // namespace waywiser::exchange
