#include "trace/encoding/peers.hpp"

#include <optional>

#include "trace/records/strides.hpp"

namespace waywiser::trace {
namespace {

/// The distance from the own rank, between -size / 2 and size / 2, so that neighbours have the same distance in groups
/// of different sizes.
std::optional<std::int32_t> relative_to(const OwnPlace& own, std::int32_t peer) {
    if (own.rank < 0 || own.rank >= own.size || peer >= own.size) return std::nullopt;
    std::int64_t distance = peer - own.rank;
    if (distance > own.size / 2) distance -= own.size;
    if (distance < -((own.size - 1) / 2)) distance += own.size;
    return static_cast<std::int32_t>(distance);
}

std::string all_but_peers(std::uint32_t symbol, Parameters parameters, Fields varying) {
    for (std::int32_t* peer : peers(parameters)) *peer = std::min(*peer, 0);
    Encoder out;
    out.integer(symbol);
    out.integer(varying);
    encode(parameters, out);
    return out.bytes();
}

}  // namespace

OwnPlaces::OwnPlaces(const TraceJob& job, std::int64_t rank) {
    const auto described = std::ranges::find(job.ranks, rank, &TraceRank::rank);
    if (described == job.ranks.end()) return;
    for (const std::uint32_t number : described->objects) {
        if (number >= job.objects.size()) {
            places_.emplace_back();
            continue;
        }
        const TraceObject& object = job.objects[number];
        const auto& own_group = object.intercommunicator ? object.own_group : object.members;
        places_.push_back({.rank = place_among(own_group, rank), .size = object.size});
    }
}

OwnPlace OwnPlaces::in(std::int32_t object) const {
    const auto i = static_cast<std::size_t>(object);
    return object >= 0 && i < places_.size() ? places_[i] : OwnPlace{};
}

void encode(const StoredSignature& signature, Encoder& out) {
    out.integer(signature.varying);
    out.integer(signature.relative);
    encode(signature.signature.parameters, out);
}

StoredSignature decode_stored(Decoder& in) {
    const std::uint64_t varying = in.integer();
    const std::uint64_t relative = in.integer();
    if (varying > kAllFields || relative > 7) throw Error("has a signature with unknown fields");
    return {.signature = decode_signature(in),
            .varying = static_cast<Fields>(varying),
            .relative = static_cast<std::uint32_t>(relative)};
}

void make_absolute(Parameters& parameters, std::uint32_t relative, const OwnPlace& own) {
    if (own.rank < 0 || own.rank >= own.size) throw Error("has a peer relative to a rank that is not known");
    for (std::int32_t* peer : peers(parameters)) {
        if ((relative & 1U) != 0) {
            std::int64_t absolute = own.rank + *peer;
            if (absolute < 0) absolute += own.size;
            if (absolute >= own.size) absolute -= own.size;
            *peer = static_cast<std::int32_t>(absolute);
        }
        relative >>= 1U;
    }
}

void PeerForms::add(std::uint32_t symbol, const Signature& signature, Fields varying, const OwnPlace& own) {
    std::array<Values, 3>& fields = sets_[all_but_peers(symbol, signature.parameters, varying)];
    std::size_t i = 0;
    for (const std::int32_t* peer : peers(signature.parameters)) {
        Values& values = fields[i++];
        if (*peer < 0) continue;
        const auto relative = relative_to(own, *peer);
        values.absolute.insert(*peer);
        values.always_relative = values.always_relative && relative.has_value();
        if (relative) values.relative.insert(*relative);
    }
}

StoredSignature PeerForms::form(std::uint32_t symbol, const Signature& signature, Fields varying,
                                const OwnPlace& own) const {
    StoredSignature stored{.signature = signature, .varying = varying};
    const std::array<Values, 3>& fields = sets_.at(all_but_peers(symbol, signature.parameters, varying));
    std::size_t i = 0;
    for (std::int32_t* peer : peers(stored.signature.parameters)) {
        const auto& [absolute, relative, always_relative] = fields[i];
        const std::optional<std::int32_t> distance = relative_to(own, *peer);
        if (distance && *peer >= 0 && always_relative && relative.size() < absolute.size()) {
            *peer = *distance;
            stored.relative |= 1U << i;
        }
        ++i;
    }
    return stored;
}

}  // namespace waywiser::trace
