#include "exchange/output_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.hpp"

namespace waywiser::exchange {
namespace {

namespace fs = std::filesystem;

bool is_stream(const fs::path& path) {
    const std::string name = path.string();
    if (name.starts_with("/dev/") || name.starts_with("/proc/")) return true;
    std::error_code ignored;
    return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
}

/// The target of a symbolic link; the path itself if it does not exist yet.
fs::path target_of(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> target(realpath(path.c_str(), nullptr), &std::free);
    return target ? fs::path(target.get()) : fs::path(path);
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
    if (!is_stream(path_)) {
        file_.emplace(target_of(path_));
        return;
    }
    stream_.reset(std::fopen(path_.c_str(), "wb"));
    if (!stream_) fail();
    std::setvbuf(stream_.get(), nullptr, _IOFBF, std::size_t{1} << 18U);
}

void OutputFile::write(std::string_view bytes) {
    if (file_) return file_->write(bytes);
    if (std::fwrite(bytes.data(), 1, bytes.size(), stream_.get()) != bytes.size()) fail();
}

void OutputFile::finish() {
    if (file_) {
        file_->publish();
        file_.reset();
    } else if (std::fclose(stream_.release()) != 0) {
        fail();
    }
}

void OutputFile::fail() const { throw Error(path_ + " cannot be written: " + std::strerror(errno)); }

}  // namespace waywiser::exchange
