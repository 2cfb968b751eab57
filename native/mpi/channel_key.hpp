/// Which messages arrive in the order in which they are sent: channels (MPI 4.1, section 3.5).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "base/flat_map.hpp"

namespace waywiser::mpi {

/// Messages from one rank to another with one tag over one communicator.
struct ChannelKey {
    std::uint32_t group = 0;
    std::int32_t tag = 0;      ///< negative: not of a message that the program itself sent
    std::uint32_t source = 0;  ///< ranks of the job
    std::uint32_t destination = 0;

    [[nodiscard]] auto operator<=>(const ChannelKey&) const = default;
};

struct ChannelHash {
    std::uint64_t operator()(const ChannelKey& key) const {
        const std::uint64_t ends = std::uint64_t{key.source} << 32U | key.destination;
        const std::uint64_t kind = std::uint64_t{key.group} << 32U | static_cast<std::uint32_t>(key.tag);
        return scattered(ends + kind * 0xd6e8feb86659fd93U);
    }

    static std::size_t place(const ChannelKey& key) { return key.destination; }
};

}  // namespace waywiser::mpi
