#include "base/durable_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>

#include "base/error.hpp"

namespace waywiser {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = std::size_t{1} << 20U;

/// Repeats a system call as long as signals interrupt it.
template <class Call>
auto uninterrupted(Call call) {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

[[noreturn]] void fail_at(const fs::path& path) {
    const std::string reason = std::generic_category().message(errno);
    throw Error(path.string() + ": cannot be written: " + reason);
}

/// The name is unique, because processes of several hosts may write one file at the same time.
std::string temporary_name(const fs::path& path) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return path.string() + "." + std::to_string(getpid()) + "-" + std::to_string(now) + ".tmp";
}

/// Makes the names in a directory as durable as their files. Some file systems cannot sync directories and return
/// EINVAL; a user without read permission cannot sync a directory either.
void sync_directory(const fs::path& directory) {
    const char* name = directory.empty() ? "." : directory.c_str();
    const int descriptor = uninterrupted([&] { return open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (descriptor < 0 && errno == EACCES) return;
    if (descriptor < 0) fail_at(directory);
    const bool done = uninterrupted([&] { return fsync(descriptor); }) == 0 || errno == EINVAL || errno == ENOTSUP;
    const int reason = errno;
    close(descriptor);
    errno = reason;
    if (!done) fail_at(directory);
}

}  // namespace

DurableFile::DurableFile(fs::path path) : path_(std::move(path)) {
    do {
        temporary_ = temporary_name(path_);
        descriptor_ =
            uninterrupted([&] { return open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) fail_at(path_);
}

DurableFile::~DurableFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!temporary_.empty()) uninterrupted([&] { return unlink(temporary_.c_str()); });
}

void DurableFile::write(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= kBufferBytes) flush();
}

void DurableFile::flush() {
    for (std::string_view left = buffer_; !left.empty() && error_ == 0;) {
        const ssize_t written = uninterrupted([&] { return ::write(descriptor_, left.data(), left.size()); });
        if (written <= 0) {
            error_ = written < 0 ? errno : ENOSPC;
        } else {
            left.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    buffer_.clear();
}

void DurableFile::append(DurableFile& other) {
    other.flush();
    if (error_ == 0) error_ = other.error_;
    std::string piece(kBufferBytes, '\0');
    off_t at = 0;
    while (error_ == 0) {
        const ssize_t n = uninterrupted([&] { return pread(other.descriptor_, piece.data(), piece.size(), at); });
        if (n == 0) return;
        if (n < 0) {
            error_ = errno;
        } else {
            write(std::string_view(piece).substr(0, static_cast<std::size_t>(n)));
            at += n;
        }
    }
}

void DurableFile::publish() {
    flush();
    errno = error_;
    if (error_ != 0 || uninterrupted([&] { return fsync(descriptor_); }) != 0) fail_at(path_);
    rename_durably(temporary_, path_);
    temporary_.clear();
}

void rename_durably(const fs::path& path, const fs::path& to) {
    if (uninterrupted([&] { return std::rename(path.c_str(), to.c_str()); }) != 0) fail_at(to);
    sync_directory(to.parent_path());
}

void make_directory(const fs::path& directory) {
    std::error_code unknown;
    if (directory.empty() || fs::is_directory(directory, unknown)) return;
    const fs::path parent = directory.parent_path();
    make_directory(parent);
    if (uninterrupted([&] { return mkdir(directory.c_str(), 0777); }) != 0 && errno != EEXIST) fail_at(directory);
    sync_directory(parent);
}

}  // namespace waywiser
