/// A file that is written from its begin to its end.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace waywiser::exchange {

class OutputFile {
public:
    /// \throws Error  if the file cannot be opened for writing
    explicit OutputFile(std::string path);

    /// \throws Error  if the file system does not take it
    void write(std::string_view bytes);

    /// Closes it.
    /// \throws Error  if the file system does not take what is left
    void finish();

private:
    [[noreturn]] void fail() const;

    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace waywiser::exchange
