#include "exchange/formats.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "base/names.hpp"

namespace waywiser::exchange {
namespace {

constexpr std::array kFormats{
    Format{.name = "perfetto",
           .write = write_perfetto,
           .takes_window = true,
           .file = "TrackEvent protobuf",
           .keeps =
               "times, function, call site, communicator, peers, tags, bytes; runs of polls as one slice; an arrow "
               "from each send to the end of the call in which its receive completed, and through the calls of "
               "each collective",
           .loses = "numbers of requests, bytes to each rank of a collective"},
    Format{.name = "paraver",
           .write = write_paraver,
           .takes_window = true,
           .file = "PATH.prv, and PATH.pcf and PATH.row beside it",
           .keeps =
               "times, function and call site as events, states, collectives' bytes, root and communicator, messages "
               "as communication records",
           .loses = "requests, runs of polls' numbers, peers of messages whose other end is not in the trace"},
    Format{.name = "csv",
           .write = write_csv,
           .takes_window = true,
           .file = "a row for each call or run of polls",
           .keeps = "times, function, call site, communicator, peers, tags, bytes, request",
           .loses = "which requests a call was given and completed, bytes to each rank of a collective, messages"},
    Format{.name = "goal",
           .write = write_goal,
           .takes_window = false,
           .file = "GOAL text, ranks as blocks",
           .keeps =
               "local time as calc [ns], messages with bytes and tags, dependencies by requests; collectives as the "
               "messages of their first algorithm in the room collectives",
           .loses = "times within calls that communicate, functions, call sites; sizes of received messages are those "
                    "of the buffers; one-sided communication, files, neighbourhoods, intercommunicators' collectives"},
    Format{.name = "simgrid-ti",
           .write = write_simgrid,
           .takes_window = false,
           .file = "a list of files, one for each rank in PATH_files/",
           .keeps =
               "local time as compute, 1 instruction per ns; messages with bytes and tags, waits; collectives over "
               "MPI_COMM_WORLD as such, others and those with counts as messages; nonblocking ones happen where "
               "they complete",
           .loses = "times within calls that communicate, functions, call sites, modes of sends; one-sided "
                    "communication, files, neighbourhoods, intercommunicators' collectives"},
};

}  // namespace

std::uint64_t calls_in(const trace::TraceJob& job) {
    return std::transform_reduce(job.streams.begin(), job.streams.end(), std::uint64_t{0}, std::plus(),
                                 [](const trace::TraceStream& stream) { return stream.events; });
}

std::span<const Format> formats() { return kFormats; }

void write(const trace::TraceFile& trace, std::string_view format, const std::string& path, const Window& window,
           Progress& progress) {
    const auto* const entry = std::ranges::find(kFormats, format, &Format::name);
    require(entry != kFormats.end(),
            "a trace cannot be written as '" + std::string(format) + "'; it can as: " + names_of(kFormats));
    require(entry->takes_window || window.whole(),
            std::string(format) + " takes no window: a replay of a part would wait for messages that are not in it");
    const trace::TraceJob& job = trace.job();
    const auto in_world = [&](const auto& of) { return of.rank >= 0 && of.rank < job.world_size; };
    require(std::ranges::all_of(job.ranks, in_world) && std::ranges::all_of(job.streams, in_world),
            "the trace has ranks that are not in its world");
    if (window.whole()) progress.total = calls_in(job);
    entry->write(trace, path, window, progress);
}

}  // namespace waywiser::exchange
