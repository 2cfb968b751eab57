/// What ranks send each other, in Matrix Market's format, for `waywiser place`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace waywiser {

struct Sent {
    std::int64_t from, to;
    std::int64_t bytes, messages;
};

/// Writes the bytes from each rank (row) to each other one (column) to a file, and the messages to another one, which
/// has ".messages.mtx" behind its name.
/// \throws InvalidInput  if one of them cannot be written
void write_matrices(const std::string& file, std::int64_t ranks, const std::vector<Sent>& sent);

}  // namespace waywiser
