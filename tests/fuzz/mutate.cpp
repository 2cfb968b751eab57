#include "tests/fuzz/mutate.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "trace/encoding/codec.hpp"
#include "trace/records/recording.hpp"
#include "trace/records/state.hpp"

namespace waywiser::fuzz {
namespace {

constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kBlockHeaderBytes = 24;
constexpr std::size_t kMostBytes = std::size_t{1} << 18U;

constexpr std::array<std::uint64_t, 16> kInteresting{0,
                                                     1,
                                                     2,
                                                     3,
                                                     64,
                                                     127,
                                                     128,
                                                     255,
                                                     1U << 16U,
                                                     (1U << 24U) - 1,
                                                     1U << 24U,
                                                     0x7fffffff,
                                                     0xffffffff,
                                                     0x7fffffffffffffff,
                                                     0x8000000000000000,
                                                     0xffffffffffffffff};

std::uint64_t interesting(Chance& chance) { return kInteresting[below(chance, kInteresting.size())]; }

/// CRC-32 of ISO 3309, bit by bit: independent of the reader's table.
std::uint32_t crc32(std::string_view bytes) {
    std::uint32_t crc = 0xffffffffU;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
    }
    return ~crc;
}

template <class Word>
Word word_at(std::string_view bytes, std::size_t at) {
    Word word{};
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
}

template <class Word>
void set_word(std::string& bytes, std::size_t at, Word word) {
    if (at + sizeof word <= bytes.size()) std::memcpy(bytes.data() + at, &word, sizeof word);
}

std::string leb128(std::uint64_t value) {
    trace::Encoder encoder;
    encoder.integer(value);
    return encoder.bytes();
}

void damage(std::string& bytes, Chance& chance) {
    const std::size_t at = below(chance, bytes.size() + 1);
    const std::size_t some = 1 + below(chance, 8);
    switch (below(chance, 7)) {
        case 0:
            if (at < bytes.size()) bytes[at] = static_cast<char>(chance());
            break;
        case 1:
            if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(chance, 8)));
            break;
        case 2: bytes.erase(at, some); break;
        case 3: bytes.insert(at, bytes.substr(below(chance, bytes.size() + 1), 4 * some)); break;
        case 4: bytes.resize(at); break;
        default: {  // one integer becomes another
            std::size_t end = at;
            while (end < bytes.size() && (static_cast<unsigned char>(bytes[end]) & 0x80U) != 0) ++end;
            bytes.replace(at, std::min(end + 1, bytes.size()) - at, leb128(interesting(chance)));
        }
    }
}

struct Block {
    std::uint32_t kind;
    std::uint32_t rank;
    std::string payload;
};

std::vector<Block> blocks_of(std::string_view bytes) {
    std::vector<Block> blocks;
    std::size_t at = kMagicBytes;
    while (at + kBlockHeaderBytes <= bytes.size()) {
        const auto length = word_at<std::uint64_t>(bytes, at + 8);
        if (length > bytes.size() - at - kBlockHeaderBytes) break;
        blocks.push_back({word_at<std::uint32_t>(bytes, at), word_at<std::uint32_t>(bytes, at + 16),
                          std::string(bytes.substr(at + kBlockHeaderBytes, length))});
        at += kBlockHeaderBytes + length;
    }
    return blocks;
}

std::string framed(const Block& block) {
    std::string header(kBlockHeaderBytes, '\0');
    set_word(header, 0, block.kind);
    set_word(header, 4, crc32(block.payload));
    set_word(header, 8, static_cast<std::uint64_t>(block.payload.size()));
    set_word(header, 16, block.rank);
    set_word(header, 20, crc32({header.data(), 20}));
    return header + block.payload;
}

void rearrange(std::vector<Block>& blocks, Chance& chance) {
    const std::size_t i = below(chance, blocks.size());
    const std::size_t j = below(chance, blocks.size());
    switch (below(chance, 4)) {
        case 0: blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(i)); break;
        case 1: blocks.insert(blocks.begin() + static_cast<std::ptrdiff_t>(i), Block(blocks[j])); break;
        case 2: std::swap(blocks[i], blocks[j]); break;
        default: blocks[i].kind = static_cast<std::uint32_t>(below(chance, 6));
    }
}

}  // namespace

std::size_t below(Chance& chance, std::size_t n) { return n == 0 ? 0 : chance() % n; }

std::string mutate_blocks(const std::string& bytes, Chance& chance) {
    std::vector<Block> blocks = blocks_of(bytes);
    for (std::size_t n = 1 + below(chance, 4); n > 0 && !blocks.empty(); --n) {
        if (below(chance, 6) == 0) {
            rearrange(blocks, chance);
        } else {
            damage(blocks[below(chance, blocks.size())].payload, chance);
        }
    }
    std::string mutated = bytes.substr(0, kMagicBytes);
    for (const Block& block : blocks) mutated += framed(block);
    if (below(chance, 8) == 0) damage(mutated, chance);
    if (mutated.size() > kMostBytes) mutated.resize(kMostBytes);
    return mutated;
}

std::string mutate_calls(const std::string& bytes, Chance& chance) {
    std::string mutated;
    const std::size_t damaged = below(chance, 3);
    for (std::size_t at = 0, i = 0; at + sizeof(state::CallsHeader) <= bytes.size(); ++i) {
        auto header = word_at<state::CallsHeader>(bytes, at);
        std::string buffer = bytes.substr(at + sizeof header, header.bytes);
        at += sizeof header + buffer.size();
        if (i == damaged) damage(buffer, chance);
        header.bytes = buffer.size();
        header.checksum = crc32(buffer);
        std::string whole(sizeof header, '\0');
        set_word(whole, 0, header);
        if (below(chance, 8) == 0) damage(whole, chance);
        mutated += whole + buffer;
    }
    if (below(chance, 8) == 0) damage(mutated, chance);
    return mutated.substr(0, kMostBytes);
}

std::string mutate_state(const std::string& bytes, Chance& chance) {
    std::string mutated = bytes;
    std::vector<std::size_t> records;
    for (std::size_t at = state::kHeaderBytes; at + sizeof(state::RecordHeader) <= mutated.size();) {
        records.push_back(at);
        const auto length = word_at<std::uint32_t>(mutated, at + 4);
        if (length < sizeof(state::RecordHeader)) break;
        at += length;
    }
    for (std::size_t n = 1 + below(chance, 6); n > 0; --n) {
        const std::size_t record = records.empty() ? 0 : records[below(chance, records.size())];
        switch (below(chance, 7)) {
            case 0: set_word(mutated, 4 * below(chance, 50), static_cast<std::uint32_t>(interesting(chance))); break;
            case 1: set_word(mutated, 8 * below(chance, 512), interesting(chance)); break;
            case 2: set_word(mutated, record, static_cast<std::uint32_t>(below(chance, 17))); break;
            case 3: set_word(mutated, record + 4, static_cast<std::uint32_t>(8 * below(chance, 300))); break;
            case 4: set_word(mutated, record + 16 + 8 * below(chance, 40), interesting(chance)); break;
            case 5: set_word(mutated, record + below(chance, 600), static_cast<std::uint8_t>(chance())); break;
            default:
                if (below(chance, 4) == 0) mutated.resize(below(chance, mutated.size() + 1));
        }
    }
    return mutated;
}

}  // namespace waywiser::fuzz
