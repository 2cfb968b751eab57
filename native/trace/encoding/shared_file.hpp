/// A file that several threads read concurrently.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "trace/encoding/bits.hpp"

namespace waywiser::trace {

class SharedFile {
public:
    /// \throws Error  if the file exists but cannot be opened (ESTALE, EACCES, …); reading throws this, too. The file
    ///     may be intact, and a merge without it would replace it.
    explicit SharedFile(const std::string& path) : path_(path), descriptor_(opened(path)) {
        struct stat status{};
        const bool has_size = is_open() && fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
        bytes_ = has_size ? static_cast<std::uint64_t>(status.st_size) : 0;
    }
    ~SharedFile() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    SharedFile(const SharedFile&) = delete;
    SharedFile& operator=(const SharedFile&) = delete;

    [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
    [[nodiscard]] std::uint64_t size() const noexcept { return bytes_; }

    /// \return the number of bytes that were read, smaller at the end
    [[nodiscard]] std::uint64_t read_at(std::uint64_t at, std::uint64_t bytes, char* to) const {
        std::uint64_t done = 0;
        while (done < bytes) {
            const ssize_t n = pread(descriptor_, to + done, bytes - done, static_cast<off_t>(at + done));
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) fail(path_);
            if (n <= 0) break;
            done += static_cast<std::uint64_t>(n);
        }
        return done;
    }

    /// \return the part, which may be shorter than requested; empty for a directory
    [[nodiscard]] std::string read(std::uint64_t at, std::uint64_t bytes) const {
        std::string part(bytes, '\0');
        part.resize(read_at(at, bytes, part.data()));
        return part;
    }

    [[nodiscard]] std::string read_all() const { return read(0, bytes_); }

private:
    [[noreturn]] static void fail(const std::string& path) {
        throw Error(path + ": cannot be read: " + std::generic_category().message(errno));
    }

    static int opened(const std::string& path) {
        int descriptor = -1;
        do {
            descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
        } while (descriptor < 0 && errno == EINTR);
        if (descriptor < 0 && errno != ENOENT && errno != ENOTDIR) fail(path);
        return descriptor;
    }

    std::string path_;
    int descriptor_;
    std::uint64_t bytes_ = 0;
};

/// Reads ahead in a shared file for one thread, so that consecutive pieces take few system calls.
class ReadAhead {
public:
    explicit ReadAhead(const SharedFile& file) : file_(&file) {}

    /// \return null if the file has fewer bytes; valid until the next piece, and followed by a BitReader's padding
    [[nodiscard]] const char* piece(std::uint64_t at, std::uint64_t bytes) {
        if (at < begin_ || at > begin_ + held_ || bytes > begin_ + held_ - at) {
            if (at > file_->size() || bytes > file_->size() - at) return nullptr;
            const std::uint64_t needed = std::min(std::max(bytes, kAhead), file_->size() - at);
            if (buffer_.size() < needed + BitReader::kPadding) buffer_.resize(needed + BitReader::kPadding);
            begin_ = at;
            held_ = file_->read_at(at, needed, buffer_.data());
            if (held_ < bytes) return nullptr;
        }
        return buffer_.data() + (at - begin_);
    }

private:
    static constexpr std::uint64_t kAhead = 1U << 14U;

    const SharedFile* file_;
    std::string buffer_;
    std::uint64_t begin_ = 0;
    std::uint64_t held_ = 0;
};

}  // namespace waywiser::trace
