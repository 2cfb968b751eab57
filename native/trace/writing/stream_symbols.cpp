#include "trace/writing/stream_symbols.hpp"

namespace waywiser::trace {
namespace {

/// A group is irregular after kSurprises calls that did not follow as before, if these are at least one call in
/// kRegular.
constexpr std::uint32_t kSurprises = 48;
constexpr std::uint32_t kRegular = 4;
constexpr std::uint32_t kForgetAfter = 1024;  ///< number of calls after which half of them are forgotten

}  // namespace

std::uint32_t SymbolTable::group(const Parameters& parameters) {
    const auto [at, added] = group_numbers_.try_emplace({parameters.function, parameters.site, parameters.action},
                                                        static_cast<std::uint32_t>(varying_.size()));
    if (added) varying_.push_back(0);
    return at->second;
}

std::uint32_t SymbolTable::symbol(std::uint32_t group, Fields varying, std::uint32_t ordinal) {
    return symbols_.try_emplace({group, varying, ordinal}, static_cast<std::uint32_t>(symbols_.size())).first->second;
}

std::uint32_t SymbolTable::base(const Parameters& parameters, Fields fields) {
    Encoder key;
    key.integer(fields);
    encode(without(parameters, fields), key);
    const auto [at, added] = base_numbers_.try_emplace(key.bytes(), static_cast<std::uint32_t>(bases_.size()));
    if (added) bases_.push_back(&at->first);
    return at->second;
}

SymbolTable::Base SymbolTable::base(std::uint32_t number) const {
    Decoder in(*bases_[number]);
    const auto varying = static_cast<Fields>(in.integer());
    return {.varying = varying, .signature = decode_signature(in)};
}

std::uint32_t StreamSymbols::signature(const Parameters& parameters) {
    Encoder key;
    encode(parameters, key);
    const auto [at, added] = numbers_.try_emplace(key.bytes(), static_cast<std::uint32_t>(signatures_.size()));
    if (added) {
        signatures_.push_back(
            {.signature = Signature(parameters), .group = table_->group(parameters), .version = 0, .symbol = 0});
    }
    return at->second;
}

StreamSymbols::Call StreamSymbols::call(const Parameters& parameters, bool polls) {
    once_ = {.signature = Signature(parameters), .group = table_->group(parameters), .version = 0, .symbol = 0};
    return call(*once_, polls);
}

StreamSymbols::Call StreamSymbols::call(Known& known, bool polls) {
    Group& own = group(known.group);
    if (polls && (own.varying & kTimes) == 0) take_out(kTimes, known.group, own);
    if (known.version != own.version) find_symbol(known, own);
    observe(known, own);
    if (known.version != own.version) find_symbol(known, own);
    return {.symbol = known.symbol, .varying = own.varying, .signature = &known.signature};
}

StreamSymbols::Group& StreamSymbols::group(std::uint32_t number) {
    if (number >= groups_.size()) groups_.resize(number + 1);
    std::optional<Group>& group = groups_[number];
    if (!group) {
        group.emplace();
        group->varying = table_->varying(number);
    }
    return *group;
}

void StreamSymbols::find_symbol(Known& known, Group& group) {
    const std::uint32_t base = table_->base(known.signature.parameters, group.varying);
    const auto [at, added] = symbols_of_bases_.try_emplace(base, 0);
    if (added) {
        at->second = table_->symbol(known.group, group.varying, group.ordinals[group.varying]++);
        meanings_[at->second] = base;
    }
    known.symbol = at->second;
    known.version = group.version;
}

void StreamSymbols::observe(const Known& known, Group& group) {
    const std::uint32_t symbol = known.symbol;
    const auto [latest, one_before] = group.latest;
    group.latest = {symbol, latest};
    if (latest == symbol && one_before == symbol) return;
    std::uint32_t& follower =
        followers_[(latest * 0x9E3779B1U + one_before * 0x85EBCA77U + known.group * 0xC2B2AE3DU) >> 12U &
                   (kFollowers - 1)];
    ++group.calls;
    if (group.calls == kForgetAfter) {
        group.calls /= 2;
        group.surprises /= 2;
        for (std::uint32_t& changes : group.changes) changes /= 2;
    }
    if (follower == symbol) return;
    follower = symbol;
    ++group.surprises;
    const Parameters& now = known.signature.parameters;
    if (group.latest_surprise) {
        const Fields changed = difference(group.latest_surprise->parameters, now) & ~group.varying;
        group.changed |= changed;
        for (std::size_t i = 0; i < kFieldsTogether.size(); ++i) {
            group.changes[i] += (changed & kFieldsTogether[i]) != 0 ? 1U : 0U;
        }
    }
    group.latest_surprise = known.signature;
    if (group.surprises < kSurprises || group.surprises * kRegular < group.calls) return;
    for (std::size_t i = 0; i < kFieldsTogether.size(); ++i) {
        if (group.changes[i] * kRegular < group.surprises) continue;
        return take_out(kFieldsTogether[i] & group.changed, known.group, group);
    }
}

void StreamSymbols::take_out(Fields fields, std::uint32_t number, Group& group) {
    group.varying |= fields;
    table_->varying(number) |= fields;
    ++group.version;
    group.calls = 0;
    group.surprises = 0;
    group.changes = {};
    group.changed = 0;
    group.latest_surprise.reset();
}

}  // namespace waywiser::trace
