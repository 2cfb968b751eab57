/// Symbols of calls, chosen so that parameters that vary from call to call do not make their sequence irregular. Calls
/// of one function at one call site with the same action are a group. A symbol is a group and the number of the call's
/// parameters in the group, in the order of first appearance in the stream. Ranks with the same structure therefore
/// have the same sequence of symbols though their sizes or neighbours differ. When a group's calls do not follow each
/// other regularly, the fields that change are removed from its symbols from then on, and their values become columns
/// (call_columns.hpp).
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "trace/encoding/call_columns.hpp"

namespace waywiser::trace {

/// Symbols that all streams share.
class SymbolTable {
public:
    std::uint32_t group(const Parameters& parameters);

    /// Fields of a group that varied in a stream; later streams start from them.
    [[nodiscard]] Fields& varying(std::uint32_t group) { return varying_[group]; }

    std::uint32_t symbol(std::uint32_t group, Fields varying, std::uint32_t ordinal);

    /// \return the number of these parameters without `fields`; other `fields` yield another number
    std::uint32_t base(const Parameters& parameters, Fields fields);

    struct Base {
        Fields varying;
        Signature signature;
    };

    [[nodiscard]] Base base(std::uint32_t number) const;

private:
    std::map<std::tuple<std::uint32_t, std::uint32_t, Action>, std::uint32_t> group_numbers_;
    std::vector<Fields> varying_;
    std::map<std::tuple<std::uint32_t, Fields, std::uint32_t>, std::uint32_t> symbols_;
    std::unordered_map<std::string, std::uint32_t> base_numbers_;
    std::vector<const std::string*> bases_;
};

class StreamSymbols {
public:
    explicit StreamSymbols(SymbolTable& table) : table_(&table), followers_(kFollowers, 0) {}

    /// \return the number of parameters that are expected to recur
    std::uint32_t signature(const Parameters& parameters);

    struct Call {
        std::uint32_t symbol;
        Fields varying;
        const Signature* signature;
    };

    /// \param polls  true if the call represents several polls
    Call call(std::uint32_t signature, bool polls) { return call(signatures_[signature], polls); }
    Call call(const Parameters& parameters, bool polls);

    /// The meanings of symbols: base numbers, indexed by symbol.
    [[nodiscard]] const std::map<std::uint32_t, std::uint32_t>& meanings() const { return meanings_; }

private:
    static constexpr std::size_t kFollowers = 4096;

    struct Known {
        Signature signature;
        std::uint32_t group;
        std::uint32_t version;  ///< version of its group when the symbol was found; 0: never
        std::uint32_t symbol;
    };

    struct Group {
        Fields varying = 0;
        std::uint32_t version = 1;
        std::map<Fields, std::uint32_t> ordinals;
        std::array<std::uint32_t, 2> latest{};
        std::uint32_t calls = 0;
        std::uint32_t surprises = 0;
        std::optional<Signature> latest_surprise;
        std::array<std::uint32_t, kFieldsTogether.size()> changes{};
        Fields changed = 0;
    };

    Group& group(std::uint32_t number);
    Call call(Known& known, bool polls);
    void find_symbol(Known& known, Group& group);
    void observe(const Known& known, Group& group);
    void take_out(Fields fields, std::uint32_t number, Group& group);

    SymbolTable* table_;
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::deque<Known> signatures_;  ///< elements must not move
    std::optional<Known> once_;
    std::vector<std::optional<Group>> groups_;
    std::unordered_map<std::uint64_t, std::uint32_t> symbols_of_bases_;  ///< symbols by base number
    std::map<std::uint32_t, std::uint32_t> meanings_;
    std::vector<std::uint32_t> followers_;
};

}  // namespace waywiser::trace
