/// Blocks of the files: a header with the checksums of itself and of its payload.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/crc32.hpp"

namespace waywiser::trace {

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

struct BlockHeader {
    std::uint32_t kind;
    std::uint32_t payload_crc;
    std::uint64_t payload_bytes;
    std::uint32_t number;  ///< the block's subject, e.g. a stream
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
