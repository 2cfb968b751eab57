#include "trace/encoding/bits.hpp"

#include "base/error.hpp"

namespace waywiser::trace {

std::pair<std::uint64_t, BitReader> BitReader::far_value(BitReader in, unsigned k) {
    std::uint64_t value = 0;
    const auto n = static_cast<unsigned>(std::countr_zero(in.word() | std::uint64_t{1} << kEscapeBits));
    if (n < kEscapeBits) {
        in.at_ += n + 1U;
        const std::uint64_t leading_bit = std::uint64_t{1} << (n + k);
        value = (in.word() & (leading_bit - 1U)) + leading_bit - (std::uint64_t{1} << k);
        in.at_ += n + k;
    } else {
        in.at_ += kEscapeBits;
        value = in.word() & 0xFFFFFFFFU;
        in.at_ += 32;
        value |= in.word() << 32U;
        in.at_ += 32;
    }
    if (in.at_ > in.end_) throw Error("ends within a call");
    return {value, in};
}

}  // namespace waywiser::trace
