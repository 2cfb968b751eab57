#include "exchange/formats.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace waywiser::exchange {
namespace {

constexpr std::array kFormats{
    Format{.name = "perfetto",
           .write = write_perfetto,
           .takes_window = true,
           .file = "TrackEvent protobuf",
           .keeps = "times, function, call site, communicator, peers, tags, bytes; runs of polls as one slice; an arrow "
                    "from each send to the end of the call in which its receive completed, and through the calls of "
                    "each collective",
           .loses = "numbers of requests, bytes to each rank of a collective"},
    Format{.name = "csv",
           .write = write_csv,
           .takes_window = true,
           .file = "a row for each call or run of polls",
           .keeps = "times, function, call site, communicator, peers, tags, bytes, request",
           .loses = "which requests a call was given and completed, bytes to each rank of a collective, messages"},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

void write(const trace::TraceFile& trace, std::string_view format, const std::string& path, const Window& window) {
    const auto* const found = std::ranges::find(kFormats, format, &Format::name);
    if (found == kFormats.end()) {
        std::string names;
        for (const Format& one : kFormats) names += (names.empty() ? "" : ", ") + std::string(one.name);
        throw InvalidInput("a trace cannot be written as '" + std::string(format) + "'; it can as: " + names);
    }
    require(found->takes_window || window.whole(),
            std::string(format) + " takes no window: a replay of a part would wait for messages that are not in it");
    found->write(trace, path, window);
}

}  // namespace waywiser::exchange
