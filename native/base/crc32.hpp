/// CRC-32 as in ISO 3309 and zlib (reflected polynomial EDB88320).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace waywiser {

/// CRC-32 by eight bytes at a time: M. Kounavis, F. Berry, "A systematic approach to building high performance
/// software-based CRC generators", ISCC 2005. The function needs no libstdc++, which the profiler lacks.
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

}  // namespace waywiser
