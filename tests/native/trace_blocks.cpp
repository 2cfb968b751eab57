/// Calls of trace files, a block at a time: against the calls that were written, and against the reader call by call,
/// also where a block ends too early.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "trace/encoding/block.hpp"
#include "trace/encoding/trace_file.hpp"
#include "trace/reading/trace_reader.hpp"
#include "trace/writing/trace_writer.hpp"

namespace {

using namespace waywiser::trace;
using Random = std::mt19937_64;

int failures = 0;

void check(bool holds, const std::string& what) {
    if (holds) return;
    std::printf("%s\n", what.c_str());
    ++failures;
}

/// The data of a call, however it is read.
struct Item {
    std::uint32_t function = 0;
    std::uint64_t bytes = 0;
    TracedCall call;
};

using Stream = std::vector<Item>;

constexpr std::uint32_t kKept = 1;    ///< function whose calls' lengths are kept
constexpr std::uint32_t kVaries = 2;  ///< function whose calls have sizes of their own
constexpr std::uint32_t kFunctions = 8;

bool keeps_length(const Parameters& parameters) { return parameters.function == kKept; }

/// Now and then as long as no call before it.
std::uint64_t duration(Random& random, std::uint64_t usual) {
    return random() % 50 == 0 ? random() >> (15 + random() % 49) : usual + random() % (usual + 1);
}

void append(Random& random, std::uint32_t function, Stream& stream) {
    const TracedCall before = stream.empty() ? TracedCall{} : stream.back().call;
    Item& item = stream.emplace_back();
    item.function = function;
    item.bytes = function == kVaries ? random() % 1000 : 800;
    // A call may lie within the one before.
    const bool within = random() % 20 == 0 && before.end_ns > before.begin_ns;
    item.call.begin_ns = within ? before.begin_ns + random() % (before.end_ns - before.begin_ns)
                                : before.end_ns + duration(random, 10 * (function + 1));
    item.call.end_ns = item.call.begin_ns + duration(random, 100 * function);
    item.call.times = function == kKept && random() % 4 == 0 ? 2 + random() % 100 : 1;
    const std::uint64_t length = item.call.end_ns - item.call.begin_ns;
    item.call.polling_ns = item.call.times == 1 ? length : random() % (length + 1);
}

/// A loop over calls that may be the same each time.
void append_loop(Random& random, std::size_t parts, std::size_t repetitions, bool regular, Stream& stream) {
    std::vector<std::uint32_t> functions(parts);
    for (std::size_t i = 0; i < repetitions; ++i) {
        if (i == 0 || !regular) {
            std::ranges::generate(functions, [&] { return static_cast<std::uint32_t>(random() % kFunctions); });
        }
        for (const std::uint32_t function : functions) append(random, function, stream);
    }
}

std::vector<Stream> random_program(Random& random, std::size_t size) {
    std::vector<Stream> streams(3);
    for (Stream& stream : streams) {
        append_loop(random, 1 + random() % 20, size, true, stream);
        append_loop(random, 1 + random() % 20, size / 10, false, stream);
        append_loop(random, 1 + random() % 700, size / 100, true, stream);
    }
    return streams;
}

void write(const std::string& path, const std::vector<Stream>& streams) {
    TraceWriter writer(path);
    for (std::uint32_t i = 0; i < kFunctions; ++i) (void)writer.function(std::to_string(i));
    writer.job().world_size = static_cast<std::int64_t>(streams.size());
    writer.job().hosts.push_back({.host = "a"});
    for (std::size_t rank = 0; rank < streams.size(); ++rank) {
        writer.job().ranks.push_back({.rank = static_cast<std::int64_t>(rank), .objects = {}});
        writer.begin_stream(static_cast<std::int64_t>(rank), 0);
        for (const Item& item : streams[rank]) {
            Parameters parameters;
            parameters.function = item.function;
            parameters.bytes = item.bytes;
            writer.append(parameters, item.call);
        }
    }
    writer.finish();
}

/// \return calls that were read before the first that is not as written
std::size_t check_block(const CallSource& source, std::size_t stream, const BlockOfCalls& block, const Item* item,
                        std::size_t left, std::uint64_t& last_ns) {
    const CallSource::List& signatures = source.lists()[source.list_of(stream)];
    std::uint64_t gaps_ns = 0;
    std::uint64_t lengths_ns = 0;
    for (std::size_t i = 0; i < std::min(block.calls.size(), left); ++i, ++item) {
        const BlockOfCalls::Call& call = block.calls[i];
        const std::uint64_t gap = item->call.begin_ns - std::min(last_ns, item->call.begin_ns);
        const std::uint64_t length = item->call.end_ns - item->call.begin_ns;
        const FullCall* full = call.is_full() ? &block.full[call.what >> 1U] : nullptr;
        const std::uint32_t symbol = full != nullptr ? full->symbol : call.what >> 1U;
        if (symbol >= signatures.size() || signatures[symbol] == nullptr) return i;
        const Parameters& shared = signatures[symbol]->signature.parameters;
        if (shared.function != item->function) return i;
        if (full == nullptr) {
            const bool early = item->call.begin_ns < last_ns;
            if (early || call.gap_ns != gap || item->call.times != 1 || keeps_length(shared)) return i;
            if (shared.bytes != item->bytes) return i;
        } else {
            if (full->gap_ns != gap || full->length_ns != length || full->times != item->call.times) return i;
            if (full->polling_ns != item->call.polling_ns) return i;
            if ((full->varied ? full->own.parameters : shared).bytes != item->bytes) return i;
        }
        gaps_ns += gap;
        lengths_ns += length;
        last_ns = item->call.end_ns;
    }
    check(block.gaps_ns == gaps_ns && block.lengths_ns == lengths_ns, "a block's sums are not those of its calls");
    return block.calls.size();
}

/// \return how many calls of the stream there are
std::size_t check_stream(CallReader& reader, const CallSource& source, std::size_t number, const Stream& stream) {
    std::size_t calls = 0;
    std::uint64_t last_ns = 0;
    BlockOfCalls block;
    for (std::size_t i = 0; reader.read(number, i, block); ++i) {
        if (calls + block.calls.size() > stream.size()) {
            check(false, "more calls than were written");
            return calls;
        }
        const std::size_t same =
            check_block(source, number, block, stream.data() + calls, stream.size() - calls, last_ns);
        calls += block.calls.size();
        if (same == block.calls.size()) continue;
        check(false, "call " + std::to_string(calls - block.calls.size() + same) + " differs");
        return calls;
    }
    return calls;
}

void check_program(const std::string& path, unsigned seed, std::size_t size) {
    Random random(seed);
    const std::vector<Stream> streams = random_program(random, size);
    write(path, streams);
    const TraceFile file(path);
    const CallBlocks blocks = file.blocks(keeps_length);
    const std::unique_ptr<CallReader> reader = blocks.reader();
    for (std::size_t i = 0; i < streams.size(); ++i) {
        check(check_stream(*reader, blocks, i, streams[i]) == streams[i].size(), "calls are missing");
    }
    check(file.job().lost.empty(), "something is said to be lost");
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// \param change  of the payload of the first block of that kind
/// \return the bytes of the trace that comes of it, with its checksums
template <class Change>
std::string changed(const std::string& bytes, TraceBlock kind, Change change) {
    std::string result = bytes.substr(0, kTraceMagic.size());
    bool found = false;
    for (std::size_t at = result.size(); at < bytes.size();) {
        BlockHeader header{};
        std::memcpy(&header, bytes.data() + at, sizeof header);
        std::string payload = bytes.substr(at + sizeof header, header.payload_bytes);
        at += sizeof header + header.payload_bytes;
        if (!found && header.kind == static_cast<std::uint32_t>(kind)) {
            found = true;
            change(payload);
        }
        result += block(header.kind, payload, header.number);
    }
    return result;
}

/// The first stream's block ends too early: both readers have the calls before, and say so.
void check_short_blocks(const std::string& path) {
    Random random(1);
    std::vector<Stream> streams(1);
    append_loop(random, 5, 10, true, streams[0]);
    write(path, streams);
    const std::string bytes = read_file(path);
    std::size_t before = streams[0].size();
    for (std::uint64_t by = 1; before > 0; ++by) {
        std::ofstream(path, std::ios::binary | std::ios::trunc)
            << changed(bytes, TraceBlock::calls, [by](std::string& payload) {
                   payload.resize(payload.size() - std::min<std::uint64_t>(by, payload.size()));
               });
        const TraceFile damaged(path);
        std::size_t calls = 0;
        for (Cursor cursor = damaged.cursor(0); cursor.next(); ++calls) {
            check(cursor.call().begin_ns == streams[0][calls].call.begin_ns &&
                      cursor.call().end_ns == streams[0][calls].call.end_ns,
                  "damage changes a call's times");
        }
        const CallBlocks blocks = damaged.blocks(keeps_length);
        const std::unique_ptr<CallReader> reader = blocks.reader();
        BlockOfCalls block;
        check(reader->read(0, 0, block) == (calls > 0), "a block without calls is none");
        check(block.calls.size() == calls, "one reader has calls that the other has not");
        std::uint64_t last_ns = 0;
        check(check_block(blocks, 0, block, streams[0].data(), streams[0].size(), last_ns) == calls,
              "damage changes a call");
        const std::string expected = path + ": the calls of rank 0, thread 0 from number " + std::to_string(calls + 1) +
                                     " on cannot be read: their block ends within a call";
        check(damaged.job().lost == std::vector<std::string>(2, expected), "the damage is not told");
        check(calls <= before && (by > 1 || calls < before), "a shorter block has more calls");
        before = calls;
    }
}

/// A symbol is one of the few that the file has room for, whatever number damage gives it.
void check_impossible_symbols(const std::string& path) {
    const std::vector<Stream> streams(1, Stream{{.bytes = 800, .call = {.begin_ns = 1, .end_ns = 2, .polling_ns = 1}}});
    write(path, streams);
    const std::string bytes = read_file(path);
    constexpr std::uint64_t kBack = std::uint64_t{0} - 1;
    for (const auto& [first, step] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
             {0, std::uint64_t{1} << 26U}, {std::uint64_t{1} << 26U, 0}, {2, kBack}}) {
        Encoder list;
        for (const std::uint64_t part : {std::uint64_t{1}, std::uint64_t{2}, first}) list.integer(part);
        list.signed_integer(0);
        list.integer(step);
        list.signed_integer(0);
        std::ofstream(path, std::ios::binary | std::ios::trunc)
            << changed(bytes, TraceBlock::meanings, [&](std::string& payload) { payload = list.bytes(); });
        const TraceFile file(path);
        check(
            !file.job().lost.empty() && file.job().lost.front().ends_with("gives a meaning to a symbol that cannot be"),
            "an impossible symbol is not told");
        check(file.blocks(keeps_length).lists().empty(), "an impossible symbol has a meaning");
    }
}

/// Times behind the end of all time come from damage, also where each call takes little.
void check_end_of_time(const std::string& path) {
    constexpr std::uint64_t kEnd_ns = std::uint64_t{1} << 61U;
    std::vector<Stream> streams(1);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const std::uint64_t begin_ns = i == 0 ? 5 : kEnd_ns - 30'000 + 100 * i;
        streams[0].push_back(
            {.bytes = 800, .call = {.begin_ns = begin_ns, .end_ns = begin_ns + 100, .polling_ns = 100}});
    }
    write(path, streams);
    const TraceFile file(path);
    const CallBlocks blocks = file.blocks(keeps_length);
    BlockOfCalls block;
    check(blocks.reader()->read(0, 0, block), "a block without the calls before a bad time");
    std::uint64_t last_ns = 0;
    check(check_block(blocks, 0, block, streams[0].data(), streams[0].size(), last_ns) == 300, "calls end elsewhere");
    check(
        file.job().lost == std::vector<std::string>{path + ": the calls of rank 0, thread 0 from number 301 on cannot "
                                                           "be read: their block has no such times"},
        "a bad time is not told");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: trace_blocks DIRECTORY\n", stderr);
        return 2;
    }
    const std::string path = std::string(argv[1]) + "/trace.ww";
    for (unsigned seed = 0; seed < 40; ++seed) check_program(path, seed, 200);
    check_program(path, 40, 10000);
    check_short_blocks(path);
    check_impossible_symbols(path);
    check_end_of_time(path);
    std::printf("%d failed\n", failures);
    return failures == 0 ? 0 : 1;
}
