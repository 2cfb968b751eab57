/// A trace as a table with one row per call or per run of polls.
#include <string>
#include <string_view>

#include "exchange/call_text.hpp"
#include "exchange/formats.hpp"
#include "exchange/output_file.hpp"
#include "exchange/text.hpp"

namespace waywiser::exchange {
namespace {

constexpr std::string_view kColumns =
    "rank,thread,begin_ns,end_ns,function,site,communicator,peer,tag,source,source_tag,matched_source,matched_tag,"
    "bytes,receive_bytes,request,found,polls,polling_ns\n";

/// A field of CSV, quoted by RFC 4180 if necessary.
std::string quoted(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"') result += '"';
        result += c;
    }
    return result += '"';
}

/// kNone becomes an empty field; the other special values are written as their negative numbers in
/// trace/records/trace.hpp.
std::string number(std::int64_t value) { return value == trace::kNone ? "" : std::to_string(value); }

void write_rank(const trace::TraceFile& trace, const CallText& text, std::size_t rank, std::size_t stream,
                const Window& window, OutputFile& file, Progress& progress) {
    trace::Cursor cursor = trace.cursor(stream);
    const trace::TraceStream& of = trace.job().streams[stream];
    std::string row;
    for (bool more = cursor.seek(window.begin_ns); more && cursor.call().begin_ns < window.end_ns;
         more = cursor.next()) {
        const trace::TracedCall& call = cursor.call();
        const trace::Parameters& p = cursor.parameters();
        const auto world = [&](std::int64_t peer) { return number(text.world_rank(rank, p, peer)); };
        row.clear();
        append(row, of.rank, ',', of.thread, ',', call.begin_ns, ',', call.end_ns, ',', text.function(p), ',',
               quoted(text.site(p)), ',', quoted(text.object(rank, p)), ',', world(p.peer), ',', number(p.tag), ',',
               world(p.source), ',', number(p.source_tag), ',', world(p.matched_source), ',', number(p.matched_tag),
               ',', p.bytes, ',', p.posted, ',', number(p.request), ',', p.found ? "true" : "false", ',', call.times,
               ',', call.polling_ns, '\n');
        file.write(row);
        ++progress.done;
    }
}

}  // namespace

void write_csv(const trace::TraceFile& trace, const std::string& path, const Window& window, Progress& progress) {
    const trace::TraceJob& job = trace.job();
    OutputFile file(path);
    file.write(kColumns);
    const CallText text(job);
    for (std::size_t stream = 0; stream < job.streams.size(); ++stream) {
        for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
            if (job.ranks[rank].rank != job.streams[stream].rank) continue;
            write_rank(trace, text, rank, stream, window, file, progress);
        }
    }
    file.finish();
}

}  // namespace waywiser::exchange
