#include "trace/calls_files.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <tuple>

#include "trace/block.hpp"
#include "trace/recording.hpp"

namespace waywiser::trace {
namespace {

constexpr std::string_view kMagic(state::kCallsMagic, sizeof state::kCallsMagic);

bool is_whole(const state::CallsHeader& header) {
    return std::string_view(header.magic, sizeof header.magic) == kMagic && header.bytes <= state::kTraceBufferBytes;
}

/// Goes to the next place from `at` on where a buffer may begin.
std::uint64_t next_header(std::ifstream& file, std::uint64_t at) {
    std::string window(std::size_t{64} * 1024, '\0');
    while (true) {
        file.clear();
        file.seekg(static_cast<std::streamoff>(at));
        file.read(window.data(), static_cast<std::streamsize>(window.size()));
        const auto n = static_cast<std::size_t>(file.gcount());
        const std::size_t found = std::string_view(window.data(), n).find(kMagic);
        if (found != std::string_view::npos) return at + found;
        if (n < window.size()) return at + n;
        at += n - kMagic.size();
    }
}

}  // namespace

CallsFiles::CallsFiles(std::vector<std::string> paths) : paths_(std::move(paths)) {
    for (std::uint32_t file = 0; file < paths_.size(); ++file) index(file);
    for (auto& [process, threads] : processes_) {
        for (auto& [thread, buffers] : threads) {
            std::ranges::sort(buffers, {},
                              [](const CallsBuffer& one) { return std::tuple(one.sequence, one.file, one.offset); });
            const auto twice = std::ranges::unique(buffers, {}, &CallsBuffer::sequence);
            buffers.erase(twice.begin(), twice.end());
        }
    }
}

void CallsFiles::index(std::uint32_t number) {
    std::ifstream file(paths_[number], std::ios::binary);
    file.seekg(0, std::ios::end);
    if (!file) {
        lost_.push_back(paths_[number] + ": cannot be read, and the calls in it are missing");
        return;
    }
    const auto size = static_cast<std::uint64_t>(file.tellg());
    bool damaged = false;
    for (std::uint64_t at = 0; at < size;) {
        state::CallsHeader header{};
        file.clear();
        file.seekg(static_cast<std::streamoff>(at));
        file.read(reinterpret_cast<char*>(&header), sizeof header);
        const std::uint64_t begin = at + sizeof header;
        if (!file || !is_whole(header)) {
            damaged = damaged || file;  // but a header that is cut off was being written
            at = next_header(file, at + 1);
        } else {
            if (header.bytes <= size - begin) {  // else it was being written, and is in the state
                processes_[{header.pid, header.process_start}][header.thread].push_back(
                    {.sequence = header.sequence,
                     .begin_ticks = header.begin_ticks,
                     .offset = begin,
                     .file = number,
                     .bytes = static_cast<std::uint32_t>(header.bytes),
                     .checksum = header.checksum});
            }
            at = begin + header.bytes;
        }
    }
    if (damaged) lost_.push_back(paths_[number] + ": is damaged, and calls in it are missing");
}

ProcessBuffers CallsFiles::take(std::uint32_t pid, std::uint64_t process_start) {
    const auto found = processes_.extract({pid, process_start});
    return found.empty() ? ProcessBuffers{} : std::move(found.mapped());
}

std::optional<std::string> CallsFiles::read(const CallsBuffer& buffer) const {
    std::ifstream file(paths_[buffer.file], std::ios::binary);
    std::string bytes(buffer.bytes, '\0');
    file.seekg(static_cast<std::streamoff>(buffer.offset));
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file || crc32(bytes) != buffer.checksum) return std::nullopt;
    return bytes;
}

std::size_t CallsFiles::left() const {
    std::size_t buffers = 0;
    for (const auto& [process, threads] : processes_) {
        for (const auto& [thread, list] : threads) buffers += list.size();
    }
    return buffers;
}

}  // namespace waywiser::trace
