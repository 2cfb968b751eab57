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

/// The parameters of one topology. All that read throw InvalidInput, which names the key and what is accepted.
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

    /// A list of whole numbers that is not empty.
    [[nodiscard]] std::vector<std::uint32_t> list(std::string_view key, std::uint32_t least) const;
    /// A list of `length` whole numbers; or one number, which stands for them all; ones if the key is absent.
    [[nodiscard]] std::vector<std::uint32_t> list_of(std::string_view key, std::size_t length,
                                                     std::uint32_t least) const;

    /// The index of a word among the accepted ones; the first is the default if the key is absent.
    [[nodiscard]] std::size_t word(std::string_view key, std::initializer_list<std::string_view> accepted) const;

    /// Lists of 2 or 3 numbers that are not negative: two vertices and, where given, cables (at least 1).
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> edges(std::string_view key) const;

    /// Throws what `key` has wrong.
    [[noreturn]] void refuse(std::string_view key, const std::string& wanted) const;

    /// The product, refused as the value of `key` where it is more than can be dealt with.
    std::uint32_t product(std::string_view key, std::span<const std::uint32_t> factors) const;

    static constexpr std::uint32_t kMost = 1U << 20U;  ///< nodes, switches, and any number

private:
    [[nodiscard]] const Value& value(std::string_view key, const std::string& wanted) const;
    [[nodiscard]] std::uint32_t checked(std::string_view key, std::int64_t number, std::uint32_t least,
                                        std::uint32_t most, const std::string& wanted) const;

    std::string kind_;
    std::map<std::string, Value, std::less<>> values_;
};

}  // namespace waywiser::machine
