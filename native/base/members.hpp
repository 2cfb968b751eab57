/// Members of records with their names, listed once beside each record: files, bindings and columns follow from the
/// list.
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace waywiser {

template <class Record, class Value>
struct Member {
    const char* name;
    Value Record::* value;
};

/// Records that WAYWISER_RECORD lists.
template <class Record>
concept Listed = requires(const Record* record) { listed_members(record); };

template <Listed Record>
inline constexpr auto kMembers = listed_members(static_cast<const Record*>(nullptr));

/// Calls `visit(member)` for each member of a list.
template <class Members, class Visit>
constexpr void for_each_member(const Members& members, Visit visit) {
    std::apply([&](const auto&... member) { (visit(member), ...); }, members);
}

/// Copies the members that two records share by name and type.
template <Listed From, Listed To>
constexpr void copy_members(const From& from, To& to) {
    const auto copy = [&]<std::size_t kFrom, std::size_t kTo>() {
        constexpr auto kSource = std::get<kFrom>(kMembers<From>);
        constexpr auto kTarget = std::get<kTo>(kMembers<To>);
        using Same = std::is_same<std::remove_cvref_t<decltype(from.*kSource.value)>,
                                  std::remove_cvref_t<decltype(to.*kTarget.value)>>;
        if constexpr (Same::value && std::string_view(kSource.name) == kTarget.name) {
            to.*kTarget.value = from.*kSource.value;
        }
    };
    constexpr std::size_t kNumber = std::tuple_size_v<std::remove_cv_t<decltype(kMembers<To>)>>;
    [&]<std::size_t... kPair>(std::index_sequence<kPair...>) {
        (copy.template operator()<kPair / kNumber, kPair % kNumber>(), ...);
    }(std::make_index_sequence<kNumber * std::tuple_size_v<std::remove_cv_t<decltype(kMembers<From>)>>>{});
}

}  // namespace waywiser

// A macro is not expanded within itself, so each scan continues with the next member; these scans suffice for 60
// members.
#define WAYWISER_SCAN(...) WAYWISER_SCAN_3(WAYWISER_SCAN_3(WAYWISER_SCAN_3(__VA_ARGS__)))
#define WAYWISER_SCAN_3(...) WAYWISER_SCAN_2(WAYWISER_SCAN_2(WAYWISER_SCAN_2(__VA_ARGS__)))
#define WAYWISER_SCAN_2(...) WAYWISER_SCAN_1(WAYWISER_SCAN_1(WAYWISER_SCAN_1(__VA_ARGS__)))
#define WAYWISER_SCAN_1(...) __VA_ARGS__
#define WAYWISER_PARENTHESES ()
#define WAYWISER_NEXT_MEMBER() WAYWISER_MEMBER
#define WAYWISER_MEMBER(Record, member, ...) \
    waywiser::Member{#member,                \
                     &Record::member} __VA_OPT__(, WAYWISER_NEXT_MEMBER WAYWISER_PARENTHESES(Record, __VA_ARGS__))

/// A list of members of a record.
#define WAYWISER_MEMBERS(Record, ...) \
    std::tuple { WAYWISER_SCAN(WAYWISER_MEMBER(Record, __VA_ARGS__)) }

/// Lists the members of a record, in their order in files.
#define WAYWISER_RECORD(Record, ...) \
    constexpr auto listed_members(const Record*) { return WAYWISER_MEMBERS(Record, __VA_ARGS__); }
