/// The job, the ranks and the nodes of a profile as the payloads of blocks in its file.
#pragma once

#include <string>

#include "trace/encoding/codec.hpp"
#include "trace/records/profile.hpp"

namespace waywiser::trace {

[[nodiscard]] std::string encode_job(const Profile& profile);
/// \param profile  gets everything except ranks
/// \throws Error  if `encode_job` cannot have made the bytes
void decode_job(Decoder in, Profile& profile);

[[nodiscard]] std::string encode_rank(const RankProfile& rank);
/// \throws Error  if `encode_rank` cannot have made the bytes
[[nodiscard]] RankProfile decode_rank(Decoder in);

[[nodiscard]] std::string encode_node(const NodeProfile& node);
/// \throws Error  if `encode_node` cannot have made the bytes
[[nodiscard]] NodeProfile decode_node(Decoder in);

}  // namespace waywiser::trace
