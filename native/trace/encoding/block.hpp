/// Blocks of the files: a header with the checksums of itself and of its payload.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace waywiser::trace {

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

/// CRC-32 as in ISO 3309 and zlib (reflected polynomial EDB88320).
/// Eight bytes at a time: M. Kounavis, F. Berry, "A systematic approach to building high performance software-based CRC
/// generators", ISCC 2005.
[[nodiscard]] inline std::uint32_t crc32(std::string_view bytes) {
    constexpr std::size_t kSlices = 8;
    static constexpr auto kTables = [] {
        std::array<std::array<std::uint32_t, 256>, kSlices> tables{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t c = i;
            for (int bit = 0; bit < 8; ++bit) c = (c & 1U) != 0 ? 0xEDB88320U ^ (c >> 1U) : c >> 1U;
            tables[0][i] = c;
        }
        for (std::size_t slice = 1; slice < kSlices; ++slice) {
            for (std::size_t i = 0; i < 256; ++i) {
                const std::uint32_t before = tables[slice - 1][i];
                tables[slice][i] = tables[0][before & 0xFFU] ^ (before >> 8U);
            }
        }
        return tables;
    }();
    std::uint32_t crc = 0xFFFFFFFFU;
    for (; bytes.size() >= kSlices; bytes.remove_prefix(kSlices)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), kSlices);
        word ^= crc;
        crc = 0;
        for (std::size_t i = 0; i < kSlices; ++i) crc ^= kTables[kSlices - 1 - i][word >> (8 * i) & 0xFFU];
    }
    for (const char byte : bytes) crc = kTables[0][(crc ^ static_cast<unsigned char>(byte)) & 0xFFU] ^ (crc >> 8U);
    return ~crc;
}

struct BlockHeader {
    std::uint32_t kind;
    std::uint32_t payload_crc;
    std::uint64_t payload_bytes;
    std::uint32_t number;  ///< what the block is of, e.g. a stream
    std::uint32_t header_crc;
};
static_assert(sizeof(BlockHeader) == 24);

[[nodiscard]] inline std::uint32_t header_crc(const BlockHeader& header) {
    return crc32({reinterpret_cast<const char*>(&header), sizeof header - sizeof header.header_crc});
}

/// \return the header and the payload
[[nodiscard]] inline std::string block(std::uint32_t kind, std::string_view payload, std::uint32_t number = 0) {
    BlockHeader header{.kind = kind,
                       .payload_crc = crc32(payload),
                       .payload_bytes = payload.size(),
                       .number = number,
                       .header_crc = 0};
    header.header_crc = header_crc(header);
    return std::string(reinterpret_cast<const char*>(&header), sizeof header).append(payload);
}

}  // namespace waywiser::trace
