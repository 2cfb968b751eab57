#include "trace/trace_writer.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <unordered_map>

#include "base/error.hpp"
#include "trace/block.hpp"
#include "trace/trace_file.hpp"
#include "trace/trace_tables.hpp"

namespace waywiser::trace {
namespace {

constexpr std::uint64_t kEventsInBlock = 4096;

struct Stream {
    TraceStream description;
    std::vector<std::string> blocks;
};

void widen(std::vector<TraceRank>& ranks, const std::vector<TraceStream>& streams) {
    for (TraceRank& rank : ranks) {
        if (rank.begin_ns != 0 || rank.end_ns != 0) continue;
        bool first = true;
        for (const TraceStream& stream : streams) {
            if (stream.rank != rank.rank) continue;
            rank.begin_ns = first ? stream.begin_ns : std::min(rank.begin_ns, stream.begin_ns);
            rank.end_ns = std::max(rank.end_ns, stream.end_ns);
            first = false;
        }
    }
}

}  // namespace

struct TraceWriter::Impl {
    std::string path;
    TraceJob job;
    std::map<std::string, std::uint32_t> functions;
    std::map<CallSite, std::uint32_t> call_sites;
    std::map<std::string, std::uint32_t> objects;
    std::unordered_map<std::string, std::uint32_t> signatures;
    std::vector<const std::string*> listed_signatures;
    std::vector<Stream> streams;
    Encoder calls;
    std::uint64_t events = 0;
    std::uint64_t last_ns = 0;
    std::uint64_t first_ns = 0;

    void end_block() {
        if (events == 0) return;
        Encoder payload;
        payload.integer(events);
        payload.integer(first_ns);
        payload.integer(streams.back().description.end_ns);
        streams.back().blocks.push_back(payload.bytes() + calls.bytes());
        calls = {};
        events = 0;
    }
};

TraceWriter::TraceWriter(std::string path) : impl_(std::make_unique<Impl>()) {
    impl_->path = std::move(path);
    std::ofstream file(impl_->path + ".tmp", std::ios::binary | std::ios::trunc);
    if (!file) throw Error(impl_->path + ": could not be written (no space left, or no permission)");
}

TraceWriter::~TraceWriter() {
    if (!impl_->path.empty()) std::remove((impl_->path + ".tmp").c_str());
}

TraceJob& TraceWriter::job() { return impl_->job; }

std::uint32_t TraceWriter::function(const std::string& name) {
    const auto [at, added] = impl_->functions.try_emplace(name, impl_->job.functions.size());
    if (added) impl_->job.functions.push_back(name);
    return at->second;
}

std::uint32_t TraceWriter::call_site(const CallSite& site) {
    const auto [at, added] = impl_->call_sites.try_emplace(site, impl_->job.call_sites.size());
    if (added) impl_->job.call_sites.push_back(site);
    return at->second;
}

std::uint32_t TraceWriter::object(const TraceObject& object) {
    Encoder key;
    encode(object, key);
    const auto [at, added] = impl_->objects.try_emplace(key.bytes(), impl_->job.objects.size());
    if (added) impl_->job.objects.push_back(object);
    return at->second;
}

void TraceWriter::begin_stream(std::int64_t rank, std::uint32_t thread) {
    if (!impl_->streams.empty()) impl_->end_block();
    impl_->streams.push_back({.description = {.rank = rank, .thread = thread}, .blocks = {}});
    impl_->last_ns = 0;
}

std::uint32_t TraceWriter::signature(const Parameters& parameters) {
    Encoder key;
    encode(parameters, key);
    const auto [at, added] = impl_->signatures.try_emplace(key.bytes(), impl_->listed_signatures.size());
    if (added) impl_->listed_signatures.push_back(&at->first);
    return at->second;
}

void TraceWriter::append(std::uint32_t signature, const TracedCall& call) {
    TraceStream& stream = impl_->streams.back().description;
    if (impl_->events == kEventsInBlock) impl_->end_block();
    if (impl_->events == 0) {
        impl_->first_ns = call.begin_ns;
        impl_->last_ns = 0;
    }
    if (stream.events == 0) stream.begin_ns = call.begin_ns;
    Encoder& out = impl_->calls;
    out.integer(signature);
    out.signed_integer(static_cast<std::int64_t>(call.begin_ns - impl_->last_ns));
    out.integer(call.end_ns - call.begin_ns);
    out.integer(call.times);
    if (call.times != 1) out.integer(call.polling_ns);
    impl_->last_ns = call.end_ns;
    stream.end_ns = std::max(stream.end_ns, call.end_ns);
    stream.calls += call.times;
    ++stream.events;
    ++impl_->events;
}

void TraceWriter::finish() {
    Impl& impl = *impl_;
    if (!impl.streams.empty()) impl.end_block();
    std::ranges::stable_sort(impl.streams, {}, [](const Stream& stream) {
        return std::pair(stream.description.rank, stream.description.thread);
    });
    impl.job.streams.clear();
    for (const Stream& stream : impl.streams) impl.job.streams.push_back(stream.description);
    widen(impl.job.ranks, impl.job.streams);
    Encoder signatures;
    signatures.integer(impl.listed_signatures.size());
    std::string signature_bytes = signatures.bytes();
    for (const std::string* signature : impl.listed_signatures) signature_bytes += *signature;

    const std::string temporary = impl.path + ".tmp";
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file << kTraceMagic << block(kTraceJob, encode_job(impl.job)) << block(kTraceSignatures, signature_bytes);
    std::uint64_t blocks = 0;
    for (std::uint32_t i = 0; i < impl.streams.size(); ++i) {
        for (const std::string& calls : impl.streams[i].blocks) file << block(kTraceCalls, calls, i);
        blocks += impl.streams[i].blocks.size();
    }
    Encoder end;
    end.integer(blocks);
    file << block(kTraceEnd, end.bytes());
    file.close();
    if (!file || std::rename(temporary.c_str(), impl.path.c_str()) != 0) {
        throw Error(impl.path + ": could not be written (no space left, or no permission)");
    }
    impl.path.clear();
}

}  // namespace waywiser::trace
