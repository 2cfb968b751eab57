/// Files that are on the disk, whole, before they bear their name.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace waywiser {

/// A file under a temporary name of its own beside `path`, whose name it takes in `publish`. Until then, and after a
/// crash at any moment, `path` is what it was before. Calls that a signal interrupts, or that write a part, are
/// repeated.
class DurableFile {
public:
    /// \throws Error  if the file cannot be made
    explicit DurableFile(std::filesystem::path path);
    /// Removes the file if it was not published.
    ~DurableFile();
    DurableFile(const DurableFile&) = delete;
    DurableFile& operator=(const DurableFile&) = delete;

    /// `publish` reports bytes that the file system could not store.
    void write(std::string_view bytes);

    /// Appends the content of another file.
    void append(DurableFile& other);

    /// Once this returns, `path` is the new file, and stays so if the node loses its power.
    /// \throws Error  if the file system did not take all of it
    void publish();

private:
    void flush();

    std::filesystem::path path_;
    std::string temporary_;
    std::string buffer_;
    int descriptor_ = -1;
    int error_ = 0;  ///< the first that the system gave
};

/// Gives a file or a directory another name, for good.
/// \throws Error  if the file system does not take it; so do the others
void rename_durably(const std::filesystem::path& path, const std::filesystem::path& to);

/// Creates a directory durably, with its missing parents.
void make_directory(const std::filesystem::path& directory);

}  // namespace waywiser
