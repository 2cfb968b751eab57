#include "machine/parameters.hpp"

#include <utility>

#include "base/error.hpp"

namespace waywiser::machine {
namespace {

std::string range(std::uint32_t least, std::uint32_t most) {
    return "from " + std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace

void Parameters::refuse(std::string_view key, const std::string& expected) const {
    throw InvalidInput(kind_ + ": " + std::string(key) + (has(key) ? " must be " : " is missing; it must be ") +
                       expected);
}

const Value& Parameters::value(std::string_view key, const std::string& expected) const {
    const auto entry = values_.find(key);
    if (entry == values_.end()) refuse(key, expected);
    return entry->second;
}

std::uint32_t Parameters::checked(std::string_view key, std::int64_t number, std::uint32_t least, std::uint32_t most,
                                  const std::string& expected) const {
    if (number < least || number > most) refuse(key, expected);
    return static_cast<std::uint32_t>(number);
}

std::uint32_t Parameters::number(std::string_view key, std::uint32_t least, std::uint32_t most) const {
    const std::string expected = "a whole number " + range(least, most);
    const auto* integer = std::get_if<std::int64_t>(&value(key, expected));
    if (integer == nullptr) refuse(key, expected);
    return checked(key, *integer, least, most, expected);
}

std::uint32_t Parameters::number_or(std::string_view key, std::uint32_t otherwise, std::uint32_t least,
                                    std::uint32_t most) const {
    return has(key) ? number(key, least, most) : otherwise;
}

std::vector<std::uint32_t> Parameters::list(std::string_view key, std::uint32_t least) const {
    const std::string expected = "a list of whole numbers " + range(least, kMost);
    const auto* integers = std::get_if<std::vector<std::int64_t>>(&value(key, expected));
    if (integers == nullptr || integers->empty()) refuse(key, expected);
    std::vector<std::uint32_t> numbers;
    for (const std::int64_t number : *integers) numbers.push_back(checked(key, number, least, kMost, expected));
    return numbers;
}

std::vector<std::uint32_t> Parameters::list_of(std::string_view key, std::size_t length, std::uint32_t least) const {
    if (!has(key)) return std::vector<std::uint32_t>(length, 1);
    const std::string expected = "one whole number " + range(least, kMost) + ", or a list of " + std::to_string(length);
    if (const auto* integer = std::get_if<std::int64_t>(&value(key, expected))) {
        return std::vector<std::uint32_t>(length, checked(key, *integer, least, kMost, expected));
    }
    const auto* integers = std::get_if<std::vector<std::int64_t>>(&value(key, expected));
    if (integers == nullptr || integers->size() != length) refuse(key, expected);
    std::vector<std::uint32_t> numbers;
    for (const std::int64_t number : *integers) numbers.push_back(checked(key, number, least, kMost, expected));
    return numbers;
}

std::size_t Parameters::word(std::string_view key, std::initializer_list<std::string_view> accepted) const {
    if (!has(key)) return 0;
    std::string expected;
    for (const std::string_view choice : accepted) expected += (expected.empty() ? "" : " or ") + std::string(choice);
    if (const auto* text = std::get_if<std::string>(&value(key, expected))) {
        for (std::size_t i = 0; i < accepted.size(); ++i) {
            if (accepted.begin()[i] == *text) return i;
        }
    }
    refuse(key, expected);
}

std::vector<std::vector<std::uint32_t>> Parameters::edges(std::string_view key) const {
    const std::string expected = "a list of [vertex, vertex] or [vertex, vertex, cables], as whole numbers";
    const Value& variant = value(key, expected);
    const auto* none = std::get_if<std::vector<std::int64_t>>(&variant);
    if (none != nullptr && none->empty()) return {};
    const auto* lists = std::get_if<std::vector<std::vector<std::int64_t>>>(&variant);
    if (lists == nullptr) refuse(key, expected);
    std::vector<std::vector<std::uint32_t>> edges;
    for (const auto& edge : *lists) {
        if (edge.size() != 2 && edge.size() != 3) refuse(key, expected);
        std::vector<std::uint32_t>& numbers = edges.emplace_back(edge.size());
        for (std::size_t i = 0; i < edge.size(); ++i)
            numbers[i] = checked(key, edge[i], i == 2 ? 1 : 0, kMost, expected);
    }
    return edges;
}

std::uint32_t Parameters::product(std::string_view key, std::span<const std::uint32_t> factors) const {
    std::uint64_t product = 1;
    for (const std::uint32_t factor : factors) {
        product *= factor;
        if (product > kMost)
            refuse(key, "such that there are at most " + std::to_string(kMost) + " nodes and switches");
    }
    return static_cast<std::uint32_t>(product);
}

}  // namespace waywiser::machine
