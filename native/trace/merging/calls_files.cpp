#include "trace/merging/calls_files.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "trace/encoding/block.hpp"
#include "trace/encoding/shared_file.hpp"
#include "trace/records/recording.hpp"

namespace waywiser::trace {
namespace {

constexpr std::string_view kCallsMagic(state::kCallsMagic, sizeof state::kCallsMagic);

bool is_whole(const state::CallsHeader& header) {
    return std::string_view(header.magic, sizeof header.magic) == kCallsMagic &&
           header.bytes <= state::kTraceBufferBytes;
}

/// Finds the next position, from `at` on, at which a buffer may start.
std::uint64_t next_header(const SharedFile& file, std::uint64_t at) {
    constexpr std::uint64_t kWindow = std::uint64_t{64} * 1024;
    while (true) {
        const std::string window = file.read(at, kWindow);
        const std::size_t offset = window.find(kCallsMagic);
        if (offset != std::string::npos) return at + offset;
        if (window.size() < kWindow) return at + window.size();
        at += window.size() - kCallsMagic.size();
    }
}

}  // namespace

CallsFiles::CallsFiles(std::vector<std::string> paths) : paths_(std::move(paths)) {
    for (std::uint32_t file = 0; file < paths_.size(); ++file) index(file);
    for (auto& [process, threads] : processes_) {
        for (auto& [thread, buffers] : threads) {
            std::ranges::sort(buffers, {}, [](const CallsBuffer& buffer) {
                return std::tuple(buffer.sequence, buffer.file, buffer.offset);
            });
            const auto twice = std::ranges::unique(buffers, {}, &CallsBuffer::sequence);
            buffers.erase(twice.begin(), twice.end());
        }
    }
}

void CallsFiles::index(std::uint32_t number) {
    const SharedFile file(paths_[number]);
    if (!file.is_open()) {
        lost_.push_back(paths_[number] + ": is gone, and the calls in it are missing");
        return;
    }
    const std::uint64_t size = file.size();
    bool damaged = false;
    for (std::uint64_t at = 0; at < size;) {
        state::CallsHeader header{};
        const bool there = file.read_at(at, sizeof header, reinterpret_cast<char*>(&header)) == sizeof header;
        const std::uint64_t begin = at + sizeof header;
        if (!there || !is_whole(header)) {
            damaged = damaged || there;  // A truncated header was still being written and is not damage.
            at = next_header(file, at + 1);
        } else {
            // Otherwise the buffer was still being written, and the state contains it.
            if (header.bytes <= size - begin) {
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
    const auto extracted = processes_.extract({pid, process_start});
    return extracted.empty() ? ProcessBuffers{} : std::move(extracted.mapped());
}

std::optional<std::string> CallsFiles::read(const CallsBuffer& buffer) const {
    std::string bytes = SharedFile(paths_[buffer.file]).read(buffer.offset, buffer.bytes);
    if (bytes.size() != buffer.bytes || crc32(bytes) != buffer.checksum) return std::nullopt;
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
