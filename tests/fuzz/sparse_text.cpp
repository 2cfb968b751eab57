#include "tests/fuzz/sparse_text.hpp"

#include <cstdio>
#include <sstream>

#include "base/error.hpp"

namespace waywiser::fuzz {
namespace {

constexpr std::size_t kLineBytes = 32;
constexpr std::size_t kMostBytes = std::size_t{1} << 24U;

}  // namespace

std::string to_text(const std::string& bytes) {
    std::string text = std::to_string(bytes.size()) + "\n";
    for (std::size_t at = 0; at < bytes.size(); at += kLineBytes) {
        const std::string line = bytes.substr(at, kLineBytes);
        if (line.find_first_not_of('\0') == std::string::npos) continue;
        text += std::to_string(at) + " ";
        for (const char byte : line) {
            char digits[3];
            std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(static_cast<unsigned char>(byte)));
            text += digits;
        }
        text += "\n";
    }
    return text;
}

std::string from_text(const std::string& text) {
    std::istringstream in(text);
    std::size_t size = 0;
    in >> size;
    require(!in.fail() && size <= kMostBytes, "a corpus file begins with the number of its bytes");
    std::string bytes(size, '\0');
    std::string digits;
    for (std::size_t at = 0; in >> at >> digits;) {
        require(digits.size() % 2 == 0 && at <= size && digits.size() / 2 <= size - at,
                "a corpus file has lines 'OFFSET HEX' within its size");
        for (std::size_t i = 0; i < digits.size(); i += 2) {
            bytes[at + i / 2] = static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
        }
    }
    return bytes;
}

}  // namespace waywiser::fuzz
