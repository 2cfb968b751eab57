/// Fields of the records of a profile, listed once. Live states, profile.ww, windows of time, bindings, JSON, tables
/// and models follow from these lists (tools/schemas.py generates `src/waywiser/model/recorded.py` from them).
///
/// A new metric is a line at the end of its list. The order of lines is fixed, because live states and files of version
/// 0.1 depend on it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace waywiser::trace {

enum class Unit : std::uint8_t { count, bytes, nanoseconds, microjoules };

/// The rule for merging a metric of two records, and for its value in a window of the run.
enum class Merging : std::uint8_t {
    sum,   ///< added; a window has its share of the time
    most,  ///< the largest; a window has the value of the whole run
    anew,  ///< added; the window counts it by itself
};

enum class Known : std::uint8_t {
    always,
    sometimes,
    unless_zero,  ///< a number in profile.ww and in bindings, where 0 means unknown
};

/// The first version of Waywiser whose files have a field. Fields of version 0.1 are stored by position, later fields
/// by name.
enum class Since : std::uint8_t { v0_1, v0_2 };

enum class Shown : std::uint8_t { yes, no };

struct Field {
    std::string_view name;  ///< name with unit, as in the bindings
    Unit unit;
    Merging merging;
    Known known;
    Since since;
    std::string_view about;
    Shown shown = Shown::yes;  ///< shown in documents and tables

    [[nodiscard]] constexpr bool is_optional() const { return known == Known::sometimes; }

    /// \return the unit's name in documents, and its size: documents have seconds and joules, profile.ww has integers
    [[nodiscard]] constexpr std::pair<std::string_view, double> document_unit() const {
        switch (unit) {
            case Unit::nanoseconds: return {"_seconds", 1e9};
            case Unit::microjoules: return {"_joules", 1e6};
            default: return {"", 1};
        }
    }
};

/// Fields of a rank.
inline constexpr std::array kRankFields{
    Field{"wall_ns", Unit::nanoseconds, Merging::anew, Known::always, Since::v0_1,
          "time from MPI_Init to MPI_Finalize"},
    Field{"init_ns", Unit::nanoseconds, Merging::anew, Known::always, Since::v0_1, "time in MPI_Init"},
    Field{"finalize_ns", Unit::nanoseconds, Merging::anew, Known::always, Since::v0_1, "time in MPI_Finalize"},
    Field{"cpu_ns", Unit::nanoseconds, Merging::sum, Known::always, Since::v0_1, "user and system time"},
    Field{"voluntary_switches", Unit::count, Merging::sum, Known::always, Since::v0_1,
          "context switches when the rank waited"},
    Field{"involuntary_switches", Unit::count, Merging::sum, Known::always, Since::v0_1,
          "context switches when another process took the CPU"},
    Field{"queued_ns", Unit::nanoseconds, Merging::sum, Known::sometimes, Since::v0_1,
          "time of the main thread ready to run without a CPU"},
    Field{"peak_memory_bytes", Unit::bytes, Merging::most, Known::always, Since::v0_1, "largest resident memory"},
    Field{"outside_world_messages", Unit::count, Merging::anew, Known::always, Since::v0_1,
          "messages to processes outside MPI_COMM_WORLD", Shown::no},
    Field{"outside_world_bytes", Unit::bytes, Merging::anew, Known::always, Since::v0_1,
          "bytes to processes outside MPI_COMM_WORLD", Shown::no},
    Field{"unrecorded_calls", Unit::count, Merging::anew, Known::always, Since::v0_1,
          "calls for which there was no memory left", Shown::no},
    Field{"instructions", Unit::count, Merging::sum, Known::unless_zero, Since::v0_1, "instructions in user mode"},
    Field{"cycles", Unit::count, Merging::sum, Known::unless_zero, Since::v0_1, "cycles in user mode"},
};

/// Fields of a node, which its collector reads.
inline constexpr std::array kNodeFields{
    Field{"observed_ns", Unit::nanoseconds, Merging::sum, Known::always, Since::v0_2,
          "time from the first process's start to the last one's end"},
    Field{"energy_uj", Unit::microjoules, Merging::sum, Known::sometimes, Since::v0_2,
          "energy of all processor packages in that time, whoever used it"},
};

/// A field's name as a template argument.
template <std::size_t N>
struct Name {
    char text[N];

    /// The constructor is implicit, so that lists of fields can use plain literals.
    consteval Name(const char (&literal)[N]) { std::copy_n(literal, N, text); }  // NOLINT(google-explicit-constructor)

    [[nodiscard]] constexpr std::string_view view() const { return {text, N - 1}; }
};

// clang-tidy misreads a list that is a template argument, and does not see which values the list makes certain.
// NOLINTBEGIN(readability-redundant-parentheses,bugprone-unchecked-optional-access)

void no_such_field();  // defined nowhere: a call of it is not a constant expression

/// Finds a field's index; a name that is not in the list does not compile.
template <const auto& kFields, Name kName>
[[nodiscard]] consteval std::size_t index_of() {
    for (std::size_t i = 0; i < kFields.size(); ++i) {
        if (kFields[i].name == kName.view()) return i;
    }
    no_such_field();
    return 0;
}

/// The metrics of one record.
template <const auto& kFields>
class Values {
public:
    using Value = std::optional<std::uint64_t>;

    constexpr Values() {
        for (std::size_t i = 0; i < kFields.size(); ++i) {
            if (!kFields[i].is_optional()) values_[i] = 0;
        }
    }

    /// The field with a name: a number, or an optional number if it is not always known.
    template <Name kName>
    [[nodiscard]] auto& at() {
        constexpr std::size_t kIndex = index_of<kFields, kName>();
        if constexpr (kFields[kIndex].is_optional()) {
            return values_[kIndex];
        } else {
            return *values_[kIndex];
        }
    }
    template <Name kName>
    [[nodiscard]] const auto& at() const {
        return const_cast<Values*>(this)->template at<kName>();
    }

    [[nodiscard]] Value& operator[](std::size_t field) { return values_[field]; }
    [[nodiscard]] const Value& operator[](std::size_t field) const { return values_[field]; }

    /// Merges the metrics of another record of the same item. If one value is unknown, the sum is unknown.
    void merge(const Values& other) {
        for (std::size_t i = 0; i < kFields.size(); ++i) {
            if (!values_[i] || !other[i]) {
                values_[i].reset();
            } else if (kFields[i].merging == Merging::most) {
                values_[i] = std::max(*values_[i], *other[i]);
            } else {
                *values_[i] += *other[i];
            }
        }
    }

    /// \return the metrics of a window of the run that covers this share of it, without metrics that the window counts
    ///         by itself
    [[nodiscard]] Values in_window(double share) const {
        Values part;
        for (std::size_t i = 0; i < kFields.size(); ++i) {
            if (kFields[i].merging == Merging::anew) continue;
            part[i] = values_[i];
            if (kFields[i].merging == Merging::sum && part[i]) {
                part[i] = static_cast<std::uint64_t>(share * static_cast<double>(*part[i]));
            }
        }
        return part;
    }

private:
    std::array<Value, kFields.size()> values_;
};

/// Calls `visit(std::integral_constant<std::size_t, i>)` for each field.
template <const auto& kFields, class Visit>
void for_each_field(Visit visit) {
    [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
        (visit(std::integral_constant<std::size_t, kIndex>{}), ...);
    }(std::make_index_sequence<kFields.size()>{});
}

// NOLINTEND(readability-redundant-parentheses,bugprone-unchecked-optional-access)

}  // namespace waywiser::trace
