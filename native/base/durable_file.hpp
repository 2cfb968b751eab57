/// Files that are completely on disk before they get their name.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace waywiser {

/// A file under a temporary name beside `path`, which `publish` renames to `path`. Until then, even after a crash,
/// `path` is unchanged. Calls that a signal interrupts, or that write only a part, are repeated.
class DurableFile {
public:
    /// \throws Error  if the file cannot be created
    explicit DurableFile(std::filesystem::path path);
    /// Removes the file if it was not published.
    ~DurableFile();
    DurableFile(const DurableFile&) = delete;
    DurableFile& operator=(const DurableFile&) = delete;

    /// Appends bytes. `publish` reports bytes that the file system could not store.
    void write(std::string_view bytes);

    /// Appends the content of another file.
    void append(DurableFile& other);

    /// Renames the file to `path`. After that, `path` is the new file, even if the node loses power.
    /// \throws Error  if writing failed
    void publish();

private:
    void flush();

    std::filesystem::path path_;
    std::string temporary_;
    std::string buffer_;
    int descriptor_ = -1;
    int error_ = 0;  ///< first errno
};

/// Renames a file or a directory durably.
/// \throws Error  if that fails, as the functions below
void rename_durably(const std::filesystem::path& path, const std::filesystem::path& to);

/// Creates a directory and its missing parents durably.
void make_directory(const std::filesystem::path& directory);

}  // namespace waywiser
