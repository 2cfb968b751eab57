/// The tables of a trace as bytes: what all ranks share, and signatures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/encoding/codec.hpp"
#include "trace/records/trace.hpp"

namespace waywiser::trace {

/// 73 years: nothing lasts longer, and a later time comes from damage.
inline constexpr std::uint64_t kMostTime_ns = std::uint64_t{1} << 61U;

/// Parameters with lists of their own.
struct Signature {
    Parameters parameters;
    std::vector<std::int32_t> requests;
    std::vector<Completion> completed;
    std::vector<std::uint64_t> counts;

    explicit Signature(const Parameters& from);
    Signature(Signature&&) noexcept = default;
    Signature& operator=(Signature&&) noexcept = default;
    Signature(const Signature& other) : Signature(other.parameters) {}
    Signature& operator=(const Signature& other) { return *this = Signature(other); }
    ~Signature() = default;
};

void encode(const Parameters& parameters, Encoder& out);
/// \throws Error  if the bytes are none that `encode` makes
[[nodiscard]] Signature decode_signature(Decoder& in);

void encode(const TraceObject& object, Encoder& out);

[[nodiscard]] std::string encode_job(const TraceJob& job);
/// \throws Error  if the bytes are none that `encode_job` makes
[[nodiscard]] TraceJob decode_job(std::string_view bytes);

}  // namespace waywiser::trace
