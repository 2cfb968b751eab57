/// A file that is written sequentially.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/durable_file.hpp"

namespace waywiser::exchange {

/// A file gets its name only once it is complete and on disk. Terminals, pipes and names of open files such as
/// /dev/stdout are written directly.
class OutputFile {
public:
    /// \throws Error  if the file cannot be opened for writing
    explicit OutputFile(std::string path);

    /// \throws Error  if writing fails
    void write(std::string_view bytes);

    /// \throws Error  if writing the remaining bytes fails
    void finish();

private:
    [[noreturn]] void fail() const;

    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::string path_;
    std::optional<DurableFile> file_;
    std::unique_ptr<std::FILE, Close> stream_;  ///< for terminals, pipes and devices
};

}  // namespace waywiser::exchange
