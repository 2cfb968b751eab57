/// Layout of records in the files, defined once for both directions: an Encoder writes them, a Decoder sets them.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/members.hpp"
#include "trace/encoding/codec.hpp"
#include "trace/records/profile.hpp"

namespace waywiser::trace {

template <class Coder>
inline constexpr bool kWrites = std::is_same_v<Coder, Encoder>;

/// Codes a record, which an Encoder does not change.
template <class Coder, class Record>
using Coded = std::conditional_t<kWrites<Coder>, const Record, Record>;

template <std::unsigned_integral Number>
void code(Encoder& out, const Number& number) {
    out.integer(number);
}

template <std::signed_integral Number>
void code(Encoder& out, const Number& number) {
    out.signed_integer(number);
}

/// \throws Error  if the number is too large for its field
template <class Number>
[[nodiscard]] Number narrowed(auto number) {
    if (!std::in_range<Number>(number)) throw Error("has a number that is too large");
    return static_cast<Number>(number);
}

template <std::unsigned_integral Number>
void code(Decoder& in, Number& number) {
    number = narrowed<Number>(in.integer());
}

template <std::signed_integral Number>
void code(Decoder& in, Number& number) {
    number = narrowed<Number>(in.signed_integer());
}

inline void code(Decoder& in, bool& truth) { truth = in.integer() != 0; }

inline void code(Encoder& out, const double& number) { code(out, std::bit_cast<std::uint64_t>(number)); }
inline void code(Decoder& in, double& number) { number = std::bit_cast<double>(in.integer()); }

inline void code(Encoder& out, const std::string& text) { out.text(text); }
inline void code(Decoder& in, std::string& text) { text = in.text(); }

template <class Coder, class... Parts>
void code_all(Coder& coder, Parts&... parts) {
    (code(coder, parts), ...);
}

template <class Item>
void code(Encoder& out, const std::vector<Item>& items) {
    out.integer(items.size());
    for (const Item& item : items) code(out, item);
}

/// Codes the items of a list; a Decoder adds them one by one, because damage may yield any number of items.
template <class Item>
void code(Decoder& in, std::vector<Item>& items) {
    for (std::uint64_t n = in.count(); n > 0; --n) code(in, items.emplace_back());
}

/// \throws Error  if a Decoder finds a value beyond the last enumerator
template <class Coder, class Enumeration>
    requires std::is_enum_v<Enumeration>
void code(Coder& coder, Enumeration& value) {
    auto number = static_cast<std::uint64_t>(value);
    code(coder, number);
    if (number > static_cast<std::uint64_t>(last_of(value))) throw Error("names what is not known");
    if constexpr (!kWrites<Coder>) value = static_cast<Enumeration>(number);
}

/// Codes a nonnegative number without a sign.
/// \throws Error  with this message, if a Decoder finds more than `most`
template <class Coder>
void code_up_to(std::int64_t most, Coder& coder, Coded<Coder, std::int64_t>& value, const char* otherwise) {
    auto number = static_cast<std::uint64_t>(value);
    code(coder, number);
    if constexpr (!kWrites<Coder>) {
        if (number > static_cast<std::uint64_t>(most)) throw Error(otherwise);
        value = static_cast<std::int64_t>(number);
    }
}

template <class Coder>
void code_world_size(Coder& coder, Coded<Coder, std::int64_t>& size) {
    code_up_to(kMaxRanks, coder, size, "announces an impossible number of ranks");
}

template <class Coder, Listed Record>
void code(Coder& coder, Record& record) {
    for_each_member(kMembers<Record>, [&](const auto& member) { code(coder, record.*member.value); });
}

}  // namespace waywiser::trace
