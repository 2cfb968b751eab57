/// A file from which a run continues as if it had not ended.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/rupture/mesh_file.hpp"
#include "workloads/rupture/saved.hpp"

#include <string>
#include <utility>
#include <vector>

namespace waywiser::rupture {

/// Settings that both runs must share: names as a user knows them, and values.
using Identity = std::vector<std::pair<std::string, std::string>>;

/// Collective: the same for the same mesh cut in the same way.
[[nodiscard]] std::string fingerprint(const MeshPart& mesh, const Ranks& ranks);

/// Writes a new file beside the old one first and then renames it: whenever the program is killed, one of the two files
/// is complete. Collective.
/// \throws Error  if that fails
void write_checkpoint(const std::string& path, const Identity& identity, const Saved& own, const Ranks& ranks);

/// This rank's saved state. Collective.
/// \throws InvalidInput  on all ranks, if the file is not a checkpoint, is damaged, or is of another run; it names what
///                       differs
[[nodiscard]] std::vector<char> read_checkpoint(const std::string& path, const Identity& identity, const Ranks& ranks);

}  // namespace waywiser::rupture
