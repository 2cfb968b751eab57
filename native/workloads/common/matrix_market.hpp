/// The communication matrix as two files in Matrix Market format.
#pragma once

#include "workloads/common/options.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace waywiser {

/// Settings of --matrix and --ranks: instead of a run, the program writes the bytes that this number of ranks would
/// exchange.
struct MatrixSettings {
    std::string matrix;
    std::int64_t matrix_ranks = 0;
};

/// \param unit  unit of work of the matrix, such as "step"
void add_matrix(Options& options, MatrixSettings& settings, const std::string& unit);

/// \throws InvalidInput  if only one of the two options is given
void require_both(const MatrixSettings& settings);

/// Traffic from one rank to another.
struct Sent {
    std::int64_t from, to;  ///< ranks from 0
    std::int64_t bytes, messages;
};

/// Writes the bytes from each rank (row) to each other rank (column) to a file, and the messages to a second file,
/// whose name ends in ".messages.mtx".
/// \param each  calls its argument with every entry, in the same order each time; entries without bytes are omitted
/// \throws InvalidInput  if one of the files cannot be written
void write_matrices(const std::string& file, std::int64_t ranks,
                    const std::function<void(const std::function<void(const Sent&)>&)>& each);

/// Writes matrices from a list of entries in memory.
inline void write_matrices(const std::string& file, std::int64_t ranks, const std::vector<Sent>& entries) {
    write_matrices(file, ranks, [&](const auto& take) {
        for (const Sent& entry : entries) take(entry);
    });
}

}  // namespace waywiser
