/// The parameters of a network in a machine file: keys and values, checked as they are read.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace waywiser::machine {

/// A value of a type that no alternative can hold is monostate; its reader rejects it.
using Value = std::variant<std::monostate, std::int64_t, std::string, std::vector<std::int64_t>,
                           std::vector<std::vector<std::int64_t>>>;

/// The parameters of one topology. All readers throw InvalidInput with the key and the accepted values.
class Parameters {
public:
    Parameters(std::string_view kind, std::map<std::string, Value, std::less<>> values)
        : kind_(kind), values_(std::move(values)) {}

    [[nodiscard]] bool has(std::string_view key) const { return values_.contains(key); }
    [[nodiscard]] const std::map<std::string, Value, std::less<>>& values() const noexcept { return values_; }

    /// A whole number from `least` to `most`.
    [[nodiscard]] std::uint32_t number(std::string_view key, std::uint32_t least, std::uint32_t most = kMost) const;
    [[nodiscard]] std::uint32_t number_or(std::string_view key, std::uint32_t otherwise, std::uint32_t least,
                                          std::uint32_t most = kMost) const;

    /// A nonempty list of whole numbers.
    [[nodiscard]] std::vector<std::uint32_t> list(std::string_view key, std::uint32_t least) const;
    /// A list of `length` whole numbers. A single number is repeated; if the key is absent, all are 1.
    [[nodiscard]] std::vector<std::uint32_t> list_of(std::string_view key, std::size_t length,
                                                     std::uint32_t least) const;

    /// The index of a word among the accepted ones; the first is the default if the key is absent.
    [[nodiscard]] std::size_t word(std::string_view key, std::initializer_list<std::string_view> accepted) const;

    /// Lists of 2 or 3 nonnegative numbers: two vertices and, optionally, cables (at least 1).
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> edges(std::string_view key) const;

    /// Throws an error on the value of `key`.
    [[noreturn]] void refuse(std::string_view key, const std::string& expected) const;

    /// The product; an error on `key` if it exceeds the limit.
    std::uint32_t product(std::string_view key, std::span<const std::uint32_t> factors) const;

    static constexpr std::uint32_t kMost = 1U << 20U;  ///< upper bound of nodes, switches and other numbers

private:
    [[nodiscard]] const Value& value(std::string_view key, const std::string& expected) const;
    [[nodiscard]] std::uint32_t checked(std::string_view key, std::int64_t number, std::uint32_t least,
                                        std::uint32_t most, const std::string& expected) const;

    std::string kind_;
    std::map<std::string, Value, std::less<>> values_;
};

}  // namespace waywiser::machine
