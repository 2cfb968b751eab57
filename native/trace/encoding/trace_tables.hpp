/// The tables of a trace as bytes: data that all ranks share, and signatures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trace/encoding/codec.hpp"
#include "trace/records/trace.hpp"

namespace waywiser::trace {

/// Upper bound of times, 73 years: a later time is damage.
inline constexpr std::uint64_t kMostTime_ns = std::uint64_t{1} << 61U;

/// Parameters that own their lists.
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
/// \throws Error  if `encode` cannot have made the bytes
[[nodiscard]] Signature decode_signature(Decoder& in);

void encode(const TraceObject& object, Encoder& out);

[[nodiscard]] std::string encode_job(const TraceJob& job);
/// \throws Error  if `encode_job` cannot have made the bytes
[[nodiscard]] TraceJob decode_job(std::string_view bytes);

}  // namespace waywiser::trace
