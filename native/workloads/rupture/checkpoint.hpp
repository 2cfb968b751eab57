/// A file from which a run continues as if it had not been interrupted.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/rupture/mesh_file.hpp"
#include "workloads/rupture/saved.hpp"

#include <string>
#include <utility>
#include <vector>

namespace waywiser::rupture {

/// Settings that both runs must share: names as in the user interface, and values.
using Identity = std::vector<std::pair<std::string, std::string>>;

/// Fingerprint of a mesh and its partition. Collective.
[[nodiscard]] std::string fingerprint(const MeshPart& mesh, const Ranks& ranks);

/// Writes a new file beside the old one first and then renames it: whenever the program is killed, one of the two files
/// is complete. Collective.
/// \throws Error  if the file cannot be written
void write_checkpoint(const std::string& path, const Identity& identity, const Saved& own, const Ranks& ranks);

/// This rank's saved state. Collective.
/// \throws InvalidInput  on all ranks, if the file is not a checkpoint, is damaged, or belongs to another run; the
///     message names the difference
[[nodiscard]] std::vector<char> read_checkpoint(const std::string& path, const Identity& identity, const Ranks& ranks);

}  // namespace waywiser::rupture
