/// The settings of the virtual clocks, as `waywiser profile --virtual` writes them for the ranks.
#pragma once

#include <string>

#include "machine/loggp.hpp"

namespace waywiser::virtual_clocks {

struct Settings {
    double cpu = 1;          ///< speed of computation relative to this machine
    int ranks_per_node = 0;  ///< 0: as on this machine
    machine::Messages within;
    machine::Messages between;
};

/// Reads lines of a word and numbers:
///
///     cpu 1
///     ranks_per_node 0
///     within EAGER_LIMIT_BYTES
///     within_cost UP_TO_BYTES LATENCY OVERHEAD GAP PER_BYTE OVERHEAD_PER_BYTE
///     between …, between_cost …
///
/// Times are in ns. The last cost of each, without a limit, has -1 for UP_TO_BYTES.
/// \throws InvalidInput  if the file cannot be read or has another form
[[nodiscard]] Settings read_settings(const std::string& path);

}  // namespace waywiser::virtual_clocks
