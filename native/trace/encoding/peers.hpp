/// Peers relative to the own rank, where that makes ranks equal.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trace/encoding/call_columns.hpp"
#include "trace/encoding/trace_tables.hpp"

namespace waywiser::trace {

/// A rank's place in the group that peers of an object are ranks of.
struct OwnPlace {
    std::int64_t rank = -1;  ///< -1: not known
    std::int64_t size = 0;

    [[nodiscard]] auto operator<=>(const OwnPlace&) const = default;
};

/// Places of one rank.
class OwnPlaces {
public:
    /// \param rank  of the world; need not be listed in the job
    OwnPlaces(const TraceJob& job, std::int64_t rank);

    /// \param object  number of the rank
    [[nodiscard]] OwnPlace in(std::int32_t object) const;

private:
    std::vector<OwnPlace> places_;
};

/// A signature as it is stored.
struct StoredSignature {
    Signature signature;
    Fields varying = 0;
    std::uint32_t relative = 0;  ///< bits of `peers`
};

/// The fields that may be relative, in the order of the bits.
template <class AnyParameters>
auto peers(AnyParameters& p) {
    return std::array{&p.peer, &p.source, &p.matched_source};
}

/// \return as bits of `peers`
[[nodiscard]] constexpr std::uint32_t peers_among(Fields fields) {
    return (fields >> 12U & 3U) | (fields >> 3U & 1U) << 2U;
}

void encode(const StoredSignature& signature, Encoder& out);
/// \throws Error  if the bytes are none that `encode` makes
[[nodiscard]] StoredSignature decode_stored(Decoder& in);

/// Makes relative peers absolute.
/// \throws Error  if the place is not known
void make_absolute(Parameters& parameters, std::uint32_t relative, const OwnPlace& own);

/// Decides for what ranks mean by the same symbol, where that agrees in all but peers, and for each of
/// these fields, which form has fewer different values.
class PeerForms {
public:
    void add(std::uint32_t symbol, const Signature& signature, Fields varying, const OwnPlace& own);
    [[nodiscard]] StoredSignature form(std::uint32_t symbol, const Signature& signature, Fields varying,
                                       const OwnPlace& own) const;

private:
    struct Values {
        std::set<std::int32_t> absolute;
        std::set<std::int32_t> relative;
        bool always_relative = true;  ///< the own place was known each time
    };

    std::map<std::string, std::array<Values, 3>> sets_;
};

}  // namespace waywiser::trace
