/// Peers as distances from the own rank, if that makes the calls of ranks equal.
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

/// A rank's own place in the group to which an object's peers belong.
struct OwnPlace {
    std::int64_t rank = -1;  ///< -1: unknown
    std::int64_t size = 0;

    [[nodiscard]] auto operator<=>(const OwnPlace&) const = default;
};

/// A rank's places in its objects.
class OwnPlaces {
public:
    /// \param rank  world rank; the job need not list it
    OwnPlaces(const TraceJob& job, std::int64_t rank);

    /// \param object  the rank's number of the object
    [[nodiscard]] OwnPlace in(std::int32_t object) const;

private:
    std::vector<OwnPlace> places_;
};

/// A signature in its stored form.
struct StoredSignature {
    Signature signature;
    Fields varying = 0;
    std::uint32_t relative = 0;  ///< relative fields as bits of `peers`
};

/// The fields that may be relative, in the order of the bits.
template <class AnyParameters>
auto peers(AnyParameters& p) {
    return std::array{&p.peer, &p.source, &p.matched_source};
}

/// \return the fields as bits of `peers`
[[nodiscard]] constexpr std::uint32_t peers_among(Fields fields) {
    return (fields >> 12U & 3U) | (fields >> 3U & 1U) << 2U;
}

void encode(const StoredSignature& signature, Encoder& out);
/// \throws Error  if `encode` cannot have made the bytes
[[nodiscard]] StoredSignature decode_stored(Decoder& in);

/// Makes relative peers absolute.
/// \throws Error  if the place is unknown
void make_absolute(Parameters& parameters, std::uint32_t relative, const OwnPlace& own);

/// Chooses the form of peers for signatures that have the same symbol on several ranks and differ in peers only: for
/// each field, the form with fewer different values.
class PeerForms {
public:
    void add(std::uint32_t symbol, const Signature& signature, Fields varying, const OwnPlace& own);
    [[nodiscard]] StoredSignature form(std::uint32_t symbol, const Signature& signature, Fields varying,
                                       const OwnPlace& own) const;

private:
    struct Values {
        std::set<std::int32_t> absolute;
        std::set<std::int32_t> relative;
        bool always_relative = true;  ///< the own place was always known
    };

    std::map<std::string, std::array<Values, 3>> sets_;
};

}  // namespace waywiser::trace
