#include "exchange/otf2_export.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "exchange/call_text.hpp"
#include "exchange/formats.hpp"
#include "exchange/otf2_calls.hpp"
#include "exchange/otf2_stream_writer.hpp"
#include "exchange/otf2_tables.hpp"
#include "trace/records/strides.hpp"

namespace waywiser::exchange {
namespace {

using namespace otf2;
using trace::TraceJob;
using trace::TraceObject;

constexpr std::uint64_t kEventChunk = 1 << 20;       // This is OTF2_CHUNK_SIZE_EVENTS_DEFAULT.
constexpr std::uint64_t kDefinitionChunk = 4 << 20;  // This is OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT.
constexpr Ref kRootNode = 0;
constexpr Ref kWorldGroup = 0;

std::vector<std::uint64_t> expanded(const std::vector<trace::Stride>& strides) {
    std::vector<std::uint64_t> ranks;
    trace::each_member(strides, [&](std::int64_t rank) { ranks.push_back(static_cast<std::uint64_t>(rank)); });
    return ranks;
}

/// A process and its threads. The numbers of location groups and locations are the indices in their lists.
struct Process {
    const trace::TraceRank* rank = nullptr;
    std::vector<Location> threads;
};

/// An open archive, which is closed on every exit.
class OpenArchive {
public:
    OpenArchive(const Library& library, const std::string& directory) : otf2_(library), directory_(directory) {
        archive_ = otf2_.Archive_Open(directory.c_str(), "traces", kWrite, kEventChunk, kDefinitionChunk, kPosix,
                                      kUncompressed);
        if (archive_ == nullptr) fail();
        static constexpr FlushCallbacks kFlush{
            [](void*, std::uint8_t, Location, void*, bool) -> std::uint8_t { return 1; }, nullptr};
        done(otf2_.Archive_SetFlushCallbacks(archive_, &kFlush, nullptr));
        done(otf2_.Archive_SetSerialCollectiveCallbacks(archive_));
        done(otf2_.Archive_SetCreator(archive_, "Waywiser"));
    }
    ~OpenArchive() {
        if (archive_ != nullptr) otf2_.Archive_Close(archive_);
    }
    OpenArchive(const OpenArchive&) = delete;
    OpenArchive& operator=(const OpenArchive&) = delete;

    void close() { done(otf2_.Archive_Close(std::exchange(archive_, nullptr))); }
    void done(Code code) const {
        if (code != 0) fail();
    }
    [[nodiscard]] Archive* get() const { return archive_; }
    [[noreturn]] void fail() const { throw Error(directory_ + ": the OTF2 trace cannot be written there"); }

private:
    const Library& otf2_;
    std::string directory_;
    Archive* archive_ = nullptr;
};

class Export {
public:
    Export(const trace::TraceFile& file, const std::string& directory, const std::string& library, Progress& progress)
        : file_(file),
          progress_(progress),
          job_(file.job()),
          otf2_(library),
          archive_(otf2_, directory),
          strings_(static_cast<Ref>(job_.call_sites.size()) + 1),
          objects_(definitions_of(job_.objects)) {
        for (const trace::TraceRank& rank : job_.ranks) processes_[rank.rank].rank = &rank;
        for (std::size_t i = 0; i < job_.streams.size(); ++i) processes_[job_.streams[i].rank].threads.push_back(i);
        // Ranks without data are also members of communicators.
        for (std::int64_t rank = 0; rank < job_.world_size; ++rank) processes_.try_emplace(rank);
        events_.resize(job_.streams.size());
        for (auto& [rank, process] : processes_) {
            if (!process.threads.empty()) continue;
            process.threads.push_back(events_.size());
            events_.push_back(0);
        }
    }

    void write() {
        archive_.done(otf2_.Archive_OpenEvtFiles(archive_.get()));
        for (Location i = 0; i < events_.size(); ++i) write_location(i);
        archive_.done(otf2_.Archive_CloseEvtFiles(archive_.get()));
        write_local_definitions();
        definitions_ = otf2_.Archive_GetGlobalDefWriter(archive_.get());
        if (definitions_ == nullptr) archive_.fail();
        write_definitions();
        archive_.close();
    }

private:
    void write_location(Location location) {
        EvtWriter* const writer = otf2_.Archive_GetEvtWriter(archive_.get(), location);
        if (writer == nullptr) archive_.fail();
        if (location < job_.streams.size()) write_stream(location, writer);
        archive_.done(otf2_.EvtWriter_GetNumberOfEvents(writer, &events_[location]));
        archive_.done(otf2_.Archive_CloseEvtWriter(archive_.get(), writer));
    }

    void write_stream(std::size_t index, EvtWriter* writer) {
        const trace::TraceRank* const rank = processes_.at(job_.streams[index].rank).rank;
        StreamWriter stream(otf2_, writer, job_, rank, objects_, strings_);
        trace::Cursor cursor = file_.cursor(index);
        while (cursor.next()) {
            stream.write(cursor.call(), cursor.parameters());
            last_ns_ = std::max(last_ns_, cursor.call().end_ns);
            ++progress_.done;
            if (!stream.good()) archive_.fail();
        }
    }

    /// Writes empty local definitions, because readers require the files.
    void write_local_definitions() {
        archive_.done(otf2_.Archive_OpenDefFiles(archive_.get()));
        for (Location location = 0; location < events_.size(); ++location) {
            DefWriter* const writer = otf2_.Archive_GetDefWriter(archive_.get(), location);
            if (writer == nullptr) archive_.fail();
            archive_.done(otf2_.Archive_CloseDefWriter(archive_.get(), writer));
        }
        archive_.done(otf2_.Archive_CloseDefFiles(archive_.get()));
    }

    /// Strings come first in the file, so that definitions are generated twice: first to collect their strings, then to
    /// be written.
    void write_definitions() {
        archive_.done(
            otf2_.GlobalDefWriter_WriteClockProperties(definitions_, 1'000'000'000, 0, last_ns_ + 1,
                                                       job_.begin_unix_ns == 0 ? kUndefinedTime : job_.begin_unix_ns));
        writing_ = false;
        define_all();
        for (std::size_t i = 0; i < job_.call_sites.size(); ++i) {
            define_string(static_cast<Ref>(i) + 1, site_text(job_.call_sites[i]));
        }
        for (const auto& [text, ref] : strings_.all()) define_string(ref, text);
        writing_ = true;
        define_all();
    }

    void define_string(Ref ref, const std::string& text) {
        archive_.done(otf2_.GlobalDefWriter_WriteString(definitions_, ref, text.c_str()));
    }

    template <class Function, class... Fields>
    void define(Function function, Fields... fields) {
        if (writing_) archive_.done(function(definitions_, fields...));
    }

    void define_all() {
        define_attributes();
        define_system();
        define_processes();
        for (std::size_t i = 0; i < job_.functions.size(); ++i) define_region(static_cast<Ref>(i), job_.functions[i]);
        define_world();
        define_objects();
    }

    void define_attributes() {
        for (Ref i = 0; i < kAttributes; ++i) {
            const auto& [name, description, type] = kAttributeDefinitions.at(i);
            define(otf2_.GlobalDefWriter_WriteAttribute, i, strings_(name), strings_(description), type);
        }
    }

    /// Defines the machine, its hosts, and further data of the job's tables.
    void define_system() {
        define(otf2_.GlobalDefWriter_WriteSystemTreeNode, kRootNode, strings_("machine"), strings_("machine"),
               kUndefined);
        for (Ref i = 0; i < job_.hosts.size(); ++i) {
            define(otf2_.GlobalDefWriter_WriteSystemTreeNode, i + 1, strings_(job_.hosts[i].host), strings_("node"),
                   kRootNode);
            define(otf2_.GlobalDefWriter_WriteSystemTreeNodeDomain, i + 1, std::uint8_t{kSharedMemory});
        }
        define_property(std::string(kJobProperty), job_row(job_));
        for (std::size_t i = 0; i < job_.call_sites.size(); ++i) {
            define_property(std::string(kSiteProperty) + std::to_string(i), row(job_.call_sites[i]));
        }
        for (std::size_t i = 0; i < job_.objects.size(); ++i) {
            define_property(std::string(kObjectProperty) + std::to_string(i), row(job_.objects[i]));
        }
        for (std::size_t i = 0; i < job_.hosts.size(); ++i) {
            define_property(std::string(kHostProperty) + std::to_string(i), row(job_.hosts[i]));
        }
        for (std::size_t i = 0; i < job_.lost.size(); ++i) {
            define_property(std::string(kLostProperty) + std::to_string(i), job_.lost[i]);
        }
    }

    void define_property(const std::string& name, const std::string& text) {
        define(otf2_.GlobalDefWriter_WriteSystemTreeNodeProperty, kRootNode, strings_(name), std::uint8_t{kString},
               Value{.string = strings_(text)});
    }

    void define_processes() {
        Ref group = 0;
        for (const auto& [rank, process] : processes_) {
            const bool has_host = process.rank != nullptr && process.rank->host < job_.hosts.size();
            define(otf2_.GlobalDefWriter_WriteLocationGroup, group, strings_("MPI Rank " + std::to_string(rank)),
                   std::uint8_t{kProcess}, has_host ? process.rank->host + 1 : kRootNode, kUndefined);
            if (process.rank != nullptr) {
                define(otf2_.GlobalDefWriter_WriteLocationGroupProperty, group, strings_(std::string(kRankProperty)),
                       std::uint8_t{kString}, Value{.string = strings_(row(*process.rank))});
            }
            for (const Location thread : process.threads) {
                const bool is_stream = thread < job_.streams.size();
                const std::uint32_t number = is_stream ? job_.streams[thread].thread : 0;
                define(otf2_.GlobalDefWriter_WriteLocation, thread,
                       strings_(number == 0 ? "Master thread" : "Thread " + std::to_string(number)),
                       std::uint8_t{kCpuThread}, events_[thread], group);
                if (!is_stream) continue;
                define(otf2_.GlobalDefWriter_WriteLocationProperty, thread, strings_(std::string(kStreamProperty)),
                       std::uint8_t{kString}, Value{.string = strings_(row(job_.streams[thread]))});
            }
            ++group;
        }
    }

    void define_region(Ref ref, const std::string& function) {
        const Ref name = strings_(function);
        define(otf2_.GlobalDefWriter_WriteRegion, ref, name, name, strings_(""), role_of(function), std::uint8_t{kMpi},
               std::uint32_t{0}, strings_(""), std::uint32_t{0}, std::uint32_t{0});
    }

    void define_world() {
        std::vector<Location> masters;
        masters.reserve(static_cast<std::size_t>(job_.world_size));
        for (std::int64_t rank = 0; rank < job_.world_size; ++rank)
            masters.push_back(processes_.at(rank).threads.front());
        define(otf2_.GlobalDefWriter_WriteGroup, kWorldGroup, strings_("MPI_COMM_WORLD"), std::uint8_t{kCommLocations},
               std::uint8_t{kMpi}, std::uint32_t{0}, static_cast<std::uint32_t>(masters.size()), masters.data());
    }

    void define_group(Ref ref, const std::vector<trace::Stride>& members) {
        const std::vector<std::uint64_t> ranks = expanded(members);
        define(otf2_.GlobalDefWriter_WriteGroup, ref, strings_(""), std::uint8_t{kCommGroup}, std::uint8_t{kMpi},
               std::uint32_t{0}, static_cast<std::uint32_t>(ranks.size()), ranks.data());
    }

    void define_objects() {
        Ref group = kWorldGroup + 1;
        for (std::size_t i = 0; i < objects_.size(); ++i) {
            if (objects_[i].comm == kUndefined) continue;
            const TraceObject& object = job_.objects[i];
            define_group(group, object.members);
            if (object.intercommunicator) define_group(group + 1, object.own_group);
            define_object(objects_[i], object, group);
            group += object.intercommunicator ? 2 : 1;
        }
    }

    void define_object(const Definition& numbers, const TraceObject& object, Ref group) {
        const Ref name = strings_(object.name);
        const bool is_window = numbers.window != kUndefined;
        const std::uint32_t flags = numbers.created ? kCreatedByEvent : 0;
        const std::uint32_t comm_flags = is_window ? 0 : flags;
        if (object.intercommunicator) {
            define(otf2_.GlobalDefWriter_WriteInterComm, numbers.comm, name, group, group + 1, kUndefined, comm_flags);
        } else {
            define(otf2_.GlobalDefWriter_WriteComm, numbers.comm, name, group, kUndefined, comm_flags);
        }
        if (is_window) define(otf2_.GlobalDefWriter_WriteRmaWin, numbers.window, name, numbers.comm, flags);
    }

    const trace::TraceFile& file_;
    Progress& progress_;
    const TraceJob& job_;
    const Library otf2_;
    OpenArchive archive_;
    Strings strings_;
    std::vector<Definition> objects_;  ///< objects of the job
    GlobalDefWriter* definitions_ = nullptr;
    std::map<std::int64_t, Process> processes_;  ///< in order of rank
    std::vector<std::uint64_t> events_;          ///< number of events of each location
    std::uint64_t last_ns_ = 0;
    bool writing_ = false;
};

}  // namespace

void export_otf2(const trace::TraceFile& file, const std::string& directory, const std::string& library,
                 Progress& progress) {
    progress.total = calls_in(file.job());
    Export(file, directory, library, progress).write();
}

}  // namespace waywiser::exchange
