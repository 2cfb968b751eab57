#include "trace/encoding/profile_tables.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "trace/encoding/code.hpp"
#include "trace/records/load_fields.hpp"

namespace waywiser::trace {
namespace {

bool is_named(const Field& field) { return field.since > Since::v0_1; }

// The list is a template's argument, as in trace/records/fields.hpp.
// NOLINTBEGIN(readability-redundant-parentheses)

/// Indices of the fields of version 0.1, either the optional or the required ones, in the order of the list.
template <const auto& kFields>
std::vector<std::size_t> placed_fields(bool optional) {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < kFields.size(); ++i) {
        if (kFields[i].since == Since::v0_1 && kFields[i].is_optional() == optional) indices.push_back(i);
    }
    return indices;
}

template <class Coder>
void code_optional(Coder& coder, Coded<Coder, std::optional<std::uint64_t>>& value) {
    bool known = value.has_value();
    std::uint64_t number = value.value_or(0);
    code_all(coder, known, number);
    if constexpr (!kWrites<Coder>) value = known ? std::optional(number) : std::nullopt;
}

/// Codes fields newer than version 0.1 by name, because a file may have other fields than this version.
template <const auto& kFields>
void encode_named(const Values<kFields>& values, Encoder& out) {
    out.integer(static_cast<std::uint64_t>(std::ranges::count_if(kFields, is_named)));
    for (std::size_t i = 0; i < kFields.size(); ++i) {
        if (!is_named(kFields[i])) continue;
        out.text(kFields[i].name);
        code_optional(out, values[i]);
    }
}

template <const auto& kFields>
void decode_named(Decoder& in, Values<kFields>& values) {
    for (std::uint64_t n = in.count(); n > 0; --n) {
        const auto field = std::ranges::find(kFields, in.text(), &Field::name);
        std::optional<std::uint64_t> value;
        code_optional(in, value);
        if (field == kFields.end() || (!value && !field->is_optional())) continue;
        values[static_cast<std::size_t>(field - kFields.begin())] = value;
    }
}

// NOLINTEND(readability-redundant-parentheses)

template <class Coder>
void code_world_rank(Coder& coder, Coded<Coder, std::int64_t>& rank) {
    code_up_to(kMaxRanks - 1, coder, rank, "names an impossible rank");
}

}  // namespace

template <class Coder>
void code(Coder& coder, Coded<Coder, Load>& load) {
    for (const LoadField& part : kLoadFields) code(coder, load.*part.value);
}

template <class Coder>
void code(Coder& coder, Coded<Coder, Message>& to) {
    code_world_rank(coder, to.destination);
    code_all(coder, to.bytes, to.messages, to.collective_bytes, to.collective_messages);
}

/// Codes the fields of a rank that profiles of all versions have.
template <class Coder>
void code(Coder& coder, Coded<Coder, RankProfile>& rank) {
    code_world_rank(coder, rank.rank);
    code_all(coder, rank.pid, rank.ending, rank.inside, rank.host, rank.cpus);
    for (const std::size_t field : placed_fields<kRankFields>(false)) code(coder, rank[field].value());
    code_all(coder, rank.threads, rank.messages, rank.phases, rank.collectives, rank.call_sites, rank.openmp, rank.io);
}

template <class Coder>
void code(Coder& coder, Coded<Coder, Profile>& job) {
    code_world_size(coder, job.world_size);
    code_all(coder, job.abi, job.library, job.transport, job.lost, job.split_sync, job.communicators, job.call_sites);
}

std::string encode_job(const Profile& profile) {
    Encoder out;
    code(out, profile);
    return out.bytes();
}

void decode_job(Decoder in, Profile& profile) { code(in, profile); }

std::string encode_rank(const RankProfile& rank) {
    Encoder out;
    code_all(out, rank, rank.sharing);
    for (const std::size_t field : placed_fields<kRankFields>(true)) code_optional(out, rank[field]);
    code(out, rank.not_counted);
    encode_named(rank, out);
    return out.bytes();
}

RankProfile decode_rank(Decoder in) {
    RankProfile rank;
    code(in, rank);
    // Profiles of earlier versions end here, or after one of the next fields.
    if (!in.rest().empty()) code(in, rank.sharing);
    for (const std::size_t field : placed_fields<kRankFields>(true)) {
        if (!in.rest().empty()) code_optional(in, rank[field]);
    }
    if (!in.rest().empty()) code(in, rank.not_counted);
    if (!in.rest().empty()) decode_named(in, rank);
    return rank;
}

std::string encode_node(const NodeProfile& node) {
    Encoder out;
    out.text(node.host);
    encode_named(node, out);
    out.integer(kNodeFields.size());
    for (std::size_t i = 0; i < kNodeFields.size(); ++i) {
        out.text(kNodeFields[i].name);
        out.text(node.unknown[i]);
    }
    return out.bytes();
}

NodeProfile decode_node(Decoder in) {
    NodeProfile node;
    node.host = in.text();
    decode_named(in, node);
    for (std::uint64_t n = in.count(); n > 0; --n) {
        const auto field = std::ranges::find(kNodeFields, in.text(), &Field::name);
        std::string why = in.text();
        if (field == kNodeFields.end()) continue;
        node.unknown[static_cast<std::size_t>(field - kNodeFields.begin())] = std::move(why);
    }
    return node;
}

}  // namespace waywiser::trace
