/// Sorts lines by time in bounded memory.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/output_file.hpp"

namespace waywiser::exchange {

/// Sorts in memory. If memory is insufficient, sorted parts in temporary files beside the output are merged.
class TimeSorted {
public:
    static constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

    /// \param path  prefix of the names of temporary files
    explicit TimeSorted(std::string path, std::size_t most_bytes = kMostBytes);

    /// \throws Error  if writing fails
    void add(std::uint64_t ns, std::string_view line);

    /// Writes all lines by time; lines with the same time keep their order of insertion.
    void finish(OutputFile& file);

private:
    struct Line {
        std::uint64_t ns;
        std::size_t begin;
        std::size_t size;
    };

    void sort();
    void spill();

    std::string path_;
    std::size_t most_bytes_;
    std::string text_;
    std::vector<Line> lines_;
    std::vector<std::unique_ptr<std::FILE, int (*)(std::FILE*)>> parts_;
};

}  // namespace waywiser::exchange
