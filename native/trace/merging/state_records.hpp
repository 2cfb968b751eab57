/// The states of a file, and the records of a state. Damaged bytes never cause reads beyond the end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/encoding/utf8.hpp"
#include "trace/merging/processes.hpp"
#include "trace/records/profile.hpp"
#include "trace/records/state.hpp"

namespace waywiser::trace {

template <std::size_t N>
[[nodiscard]] std::string text_of(const char (&field)[N]) {
    return valid_utf8({field, strnlen(field, N)});
}

/// A call site in a module; for Python code, the profiler itself provides the name.
[[nodiscard]] inline CallSite call_site(const state::ModuleRecord& module, std::uint64_t address) {
    CallSite site{.module = text_of(module.path), .address = address, .place = {}};
    const std::string function = text_of(module.function);
    const std::string file = site.module.substr(site.module.rfind('/') + 1);
    if (!function.empty()) site.place = function + " at " + file + ":" + std::to_string(address);
    return site;
}

[[nodiscard]] inline std::uint64_t difference(std::uint64_t later, std::uint64_t earlier) {
    return later > earlier ? later - earlier : 0;
}

/// Length of a tick by the header's two calibration points [ns]; 1 unless ticks and time have advanced.
[[nodiscard]] inline long double ns_per_tick(const state::Header& header) {
    const std::uint64_t ticks = difference(header.end.ticks, header.begin.ticks);
    const std::uint64_t ns = difference(header.end.monotonic_ns, header.begin.monotonic_ns);
    return ticks > 0 && ns > 0 ? static_cast<long double>(ns) / static_cast<long double>(ticks) : 1;
}

inline void add_members(const state::MembersRecord& record, std::vector<Stride>& members) {
    const std::size_t used = std::min<std::size_t>(record.used, std::size(record.strides));
    for (const auto& [first, stride, count] : std::span(record.strides, used))
        members.push_back({first, stride, count});
}

[[nodiscard]] inline Ending ending_of(state::Phase phase) {
    switch (phase) {
        case state::Phase::finalised: return Ending::finalised;
        case state::Phase::aborted: return Ending::aborted;
        case state::Phase::exited: return Ending::exited;
        default: return Ending::killed;
    }
}

[[nodiscard]] inline ProcessHead head_of(const state::Header& header) {
    return {.host = text_of(header.host),
            .pid = header.pid,
            .process_start = header.process_start,
            .rank = header.world_rank,
            .world_size = header.world_size,
            .begin_ns = header.begin.monotonic_ns,
            .end_ns = header.end.monotonic_ns,
            .ending = ending_of(header.phase)};
}

/// The record at the start of the bytes; zero-filled if the bytes end early.
template <class Record>
[[nodiscard]] Record read_record(std::string_view bytes) {
    Record record{};
    bytes.copy(reinterpret_cast<char*>(&record), sizeof record);
    return record;
}

/// Calls `visit(header, bytes)` for every record of a state. A record of kind `none` is unpublished: its thread was
/// still writing it.
template <class Visit>
void for_each_record(std::string_view state, Visit visit) {
    for (std::size_t chunk = state::kHeaderBytes; chunk < state.size(); chunk += state::kChunkBytes) {
        std::string_view rest = state.substr(chunk, state::kChunkBytes);
        while (rest.size() >= sizeof(state::RecordHeader)) {
            const auto header = read_record<state::RecordHeader>(rest);
            if (header.bytes < sizeof header || header.bytes > rest.size()) break;
            visit(header, rest.substr(0, header.bytes));
            rest.remove_prefix(header.bytes);
        }
    }
}

[[nodiscard]] inline bool begins_state(std::string_view bytes) {
    return bytes.size() >= state::kHeaderBytes && std::memcmp(bytes.data(), state::kMagic, sizeof state::kMagic) == 0;
}

/// \return size of the first state [bytes], as far as it is present
[[nodiscard]] inline std::size_t length_of_state(std::string_view bytes) {
    const auto header = read_record<state::Header>(bytes);
    std::size_t length = state::kHeaderBytes;
    for (std::uint64_t i = 0; i < header.chunks && length < bytes.size(); ++i) {
        if (begins_state(bytes.substr(length))) return length;  // The number of chunks is damaged.
        length = std::min(length + state::kChunkBytes, bytes.size());
    }
    return length;
}

/// Calls `visit(bytes)` for every state of a file, and `visit_page(bytes)` for each page between states.
template <class Visit, class VisitPage>
void for_each_state(std::string_view file, Visit visit, VisitPage visit_page) {
    while (file.size() >= state::kHeaderBytes) {
        std::size_t length = state::kHeaderBytes;  // The length of a hole, unless a state starts here.
        if (begins_state(file)) {
            length = length_of_state(file);
            visit(file.substr(0, length));
        } else {
            visit_page(file.substr(0, length));
        }
        file.remove_prefix(length);
    }
}

template <class Visit>
void for_each_state(std::string_view file, Visit visit) {
    for_each_state(file, visit, [](std::string_view) {});
}

}  // namespace waywiser::trace
