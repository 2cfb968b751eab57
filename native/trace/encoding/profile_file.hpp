/// profile.ww: the profile of a job in one file, all ranks.
///
/// The file is the magic "WWPROF02" and then blocks. A block is a 24-byte header of little-endian integers and a
/// payload of LEB128 integers and length-prefixed UTF-8 text. The header has kind u32, CRC-32 of the payload u32,
/// payload bytes u64, rank u32, CRC-32 of the 20 bytes before u32. Kinds: 1 description (text for a human), 2 job, 3
/// one rank, 4 end (number of rank blocks). Ranks are independent, so a damaged or truncated file yields every rank
/// whose block is intact.
#pragma once

#include <string>

#include "trace/records/profile.hpp"

namespace waywiser::trace {

/// Writes through a temporary file beside `path`, so that `path` is either complete or absent.
/// \throws Error  if writing fails
void write_profile(const Profile& profile, const std::string& path);

/// \return the readable part; `lost` gains a sentence for each unreadable part
/// \throws InvalidInput  if the file cannot be opened or is not a profile
[[nodiscard]] Profile read_profile(const std::string& path);

}  // namespace waywiser::trace
