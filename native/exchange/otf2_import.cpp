#include "exchange/otf2_import.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "exchange/otf2_definitions.hpp"
#include "exchange/otf2_foreign_job.hpp"
#include "exchange/otf2_own_stream.hpp"
#include "exchange/otf2_tables.hpp"
#include "trace/writing/trace_writer.hpp"

namespace waywiser::exchange {
namespace {

using namespace otf2;

/// An OTF2 trace that is being read.
class OpenTrace {
public:
    OpenTrace(const Library& library, const std::string& anchor)
        : otf2_(library), anchor_(anchor), reader_(library.Reader_Open(anchor.c_str())) {
        if (reader_ == nullptr)
            throw InvalidInput(anchor + ": is not an OTF2 trace; name its anchor file, which ends in .otf2");
        if (otf2_.Reader_SetSerialCollectiveCallbacks(reader_) != 0) throw Error(anchor + ": cannot be read");
    }
    ~OpenTrace() { otf2_.Reader_Close(reader_); }
    OpenTrace(const OpenTrace&) = delete;
    OpenTrace& operator=(const OpenTrace&) = delete;

    [[nodiscard]] Definitions definitions() const { return read_definitions(otf2_, reader_, anchor_); }

    [[nodiscard]] std::string creator() const {
        char* text = nullptr;
        if (otf2_.Reader_GetCreator(reader_, &text) != 0 || text == nullptr) return "an unknown program";
        const std::unique_ptr<char, decltype(&std::free)> owner(text, std::free);
        return text;
    }

    /// Opens the files of these locations. Their own definitions hold the mappings of their numbers and clocks to
    /// global ones.
    void open(const std::vector<Location>& locations) {
        for (const Location location : locations) otf2_.Reader_SelectLocation(reader_, location);
        if (otf2_.Reader_OpenDefFiles(reader_) == 0) {
            for (const Location location : locations) read_local_definitions(location);
            otf2_.Reader_CloseDefFiles(reader_);
        }
        require(otf2_.Reader_OpenEvtFiles(reader_) == 0,
                anchor_ + ": the files of its events cannot be opened (the directory beside it)");
    }

    /// \return false if the file is damaged
    [[nodiscard]] bool read(Location location, const Clock& clock, EventHandler& handler) {
        return read_events(otf2_, reader_, location, clock, handler);
    }

private:
    void read_local_definitions(Location location) {
        DefReader* const local = otf2_.Reader_GetDefReader(reader_, location);
        if (local == nullptr) return;
        std::uint64_t read = 0;
        otf2_.Reader_ReadAllLocalDefinitions(reader_, local, &read);
        otf2_.Reader_CloseDefReader(reader_, local);
    }

    const Library& otf2_;
    std::string anchor_;
    Reader* reader_;
};

/// The rows of a table up to the first gap.
template <class Item>
std::vector<Item> table(const Definitions& definitions, std::string_view name) {
    std::vector<Item> items;
    while (true) {
        const auto at = definitions.properties.find(std::string(name) + std::to_string(items.size()));
        if (at == definitions.properties.end()) return items;
        Item& item = items.emplace_back();
        if constexpr (std::is_same_v<Item, std::string>) {
            item = at->second;
        } else {
            otf2::read(at->second, item);
        }
    }
}

void read_own_tables(const Definitions& definitions, trace::TraceWriter& writer) {
    trace::TraceJob& job = writer.job();
    read_job(definitions.properties.at(std::string(kJobProperty)), job);
    for (const auto& [ref, region] : definitions.regions) writer.function(region.name);
    for (const auto& site : table<trace::CallSite>(definitions, kSiteProperty)) writer.call_site(site);
    for (const auto& object : table<trace::TraceObject>(definitions, kObjectProperty)) writer.object(object);
    job.hosts = table<trace::HostClock>(definitions, kHostProperty);
    job.lost = table<std::string>(definitions, kLostProperty);
    for (const auto& [ref, group] : definitions.location_groups) {
        const auto properties = definitions.group_properties.find(ref);
        if (properties == definitions.group_properties.end()) continue;
        const auto row = properties->second.find(std::string(kRankProperty));
        if (row != properties->second.end()) otf2::read(row->second, job.ranks.emplace_back());
    }
}

std::uint64_t import_own(OpenTrace& trace, const Definitions& definitions, trace::TraceWriter& writer) {
    read_own_tables(definitions, writer);
    std::vector<std::pair<Location, trace::TraceStream>> streams;
    std::vector<Location> opened;
    for (const LocationDefinition& location : definitions.locations) {
        const auto properties = definitions.location_properties.find(location.ref);
        if (properties == definitions.location_properties.end()) continue;
        const auto row = properties->second.find(std::string(kStreamProperty));
        if (row == properties->second.end()) continue;
        otf2::read(row->second, streams.emplace_back(location.ref, trace::TraceStream{}).second);
        streams.back().second.events = location.events;
        opened.push_back(location.ref);
    }
    trace.open(opened);
    std::uint64_t calls = 0;
    for (const auto& [location, stream] : streams) {
        const auto& ranks = writer.job().ranks;
        const auto rank = std::ranges::find(ranks, stream.rank, &trace::TraceRank::rank);
        writer.begin_stream(stream.rank, stream.thread);
        OwnStream handler(writer, definitions.strings, rank == ranks.end() ? nullptr : &*rank);
        const bool whole = stream.events == 0 || trace.read(location, Clock{}, handler);
        if (!whole) writer.job().lost.push_back(damaged_after(stream.rank, stream.thread, handler.calls()));
        calls += handler.calls();
    }
    return calls;
}

}  // namespace

Imported import_otf2(const std::string& anchor, const std::string& path, const std::string& library) {
    const Library otf2(library);
    OpenTrace opened(otf2, anchor);
    const Definitions definitions = opened.definitions();
    trace::TraceWriter writer(path);
    Imported imported{.creator = opened.creator()};
    if (definitions.properties.contains(std::string(kJobProperty))) {
        imported.calls = import_own(opened, definitions, writer);
    } else {
        ForeignJob job(definitions, imported.creator, writer);
        opened.open(job.locations());
        const Clock clock{.ticks_per_s = definitions.ticks_per_s, .begin_ticks = definitions.begin_ticks};
        for (const ForeignThread& thread : job.threads()) {
            ForeignStream& stream = job.begin(thread);
            const bool whole = opened.read(thread.location, clock, stream);
            job.end(whole);
        }
        imported.calls = job.finish();
    }
    imported.ranks = static_cast<std::int64_t>(writer.job().ranks.size());
    imported.begin_unix_ns = writer.job().begin_unix_ns;
    writer.finish();
    for (const trace::TraceStream& stream : writer.job().streams) {
        imported.end_ns = std::max(imported.end_ns, stream.end_ns);
    }
    return imported;
}

}  // namespace waywiser::exchange
