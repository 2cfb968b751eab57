/// Traces of random programs, read back: call by call, from any time on, and from damaged files.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "trace/encoding/block.hpp"
#include "trace/encoding/trace_file.hpp"
#include "trace/reading/trace_reader.hpp"
#include "trace/writing/trace_writer.hpp"

namespace {

using namespace waywiser;
using namespace waywiser::trace;

using Random = std::mt19937_64;

constexpr std::array kFlips{0x01U, 0x80U, 0xFFU};

/// Parameters with lists of their own.
struct Item {
    Parameters parameters;
    std::vector<std::int32_t> requests;
    std::vector<Completion> completed;
    std::vector<std::uint64_t> counts;
    TracedCall call;
};

struct Stream {
    std::int64_t rank;
    std::uint32_t thread;
    std::vector<Item> calls;
};

std::int32_t below(Random& random, int n) { return static_cast<std::int32_t>(random() % static_cast<unsigned>(n)); }

Item random_call(Random& random, int kinds) {
    Random of_kind(random() % static_cast<unsigned>(kinds));
    Item item;
    Parameters& p = item.parameters;
    p.function = static_cast<std::uint32_t>(below(of_kind, 3));
    p.site = static_cast<std::uint32_t>(below(of_kind, 3));
    p.action = static_cast<Action>(below(of_kind, 22));
    p.found = below(of_kind, 2) == 0;
    for (std::int32_t* number : {&p.object, &p.created, &p.peer, &p.tag, &p.source, &p.source_tag, &p.matched_source,
                                 &p.matched_tag, &p.request, &p.message}) {
        *number = below(of_kind, 3) == 0 ? below(random, 4) - 5 : below(of_kind, 1000);
    }
    p.detail = -below(of_kind, 5);
    p.bytes = below(of_kind, 2) == 0 ? random() >> below(random, 64) : 800;
    p.posted = static_cast<std::uint64_t>(below(of_kind, 3));
    for (int n = below(of_kind, 4); n > 0; --n) item.requests.push_back(below(random, 9));
    for (int n = below(of_kind, 3); n > 0; --n) item.completed.push_back({below(random, 4), kNone, below(of_kind, 3)});
    for (int n = below(of_kind, 3); n > 0; --n) item.counts.push_back(random() % 100);
    return item;
}

/// Nested loops, with calls in between that vary.
void run(Random& random, int depth, int kinds, std::vector<Item>& calls) {
    const int repetitions = 1 + below(random, 5);
    const int parts = 1 + below(random, 4);
    const Random same = random;
    for (int i = 0; i < repetitions; ++i) {
        if (below(random, 8) != 0) random = same;
        for (int part = 0; part < parts; ++part) {
            if (depth > 0 && below(random, 2) == 0) {
                run(random, depth - 1, kinds, calls);
            } else {
                calls.push_back(random_call(random, kinds));
            }
        }
    }
}

std::vector<Stream> random_program(Random& random) {
    std::vector<Stream> streams;
    const int ranks = 1 + below(random, 4);
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        for (int thread = below(random, 2); thread >= 0; --thread) {
            Stream stream{.rank = ranks - 1 - rank, .thread = static_cast<std::uint32_t>(thread), .calls = {}};
            run(random, 4, 1 + below(random, 20), stream.calls);
            std::uint64_t now = random() % 1000000;
            for (Item& item : stream.calls) {
                TracedCall& call = item.call;
                call.begin_ns = now + random() % 1000;
                call.end_ns = call.begin_ns + (random() >> (34 + below(random, 30)));
                call.times = below(random, 20) == 0 ? 2 + random() % 100 : 1;
                call.polling_ns = call.times == 1 ? call.end_ns - call.begin_ns : random() % 1000;
                now = call.end_ns;
            }
            streams.push_back(std::move(stream));
        }
    }
    return streams;
}

void write(const std::string& path, const std::vector<Stream>& streams, std::int64_t world_size = 4) {
    TraceWriter writer(path);
    for (const char* name : {"MPI_Send", "MPI_Recv", "MPI_Wait"}) (void)writer.function(name);
    for (const std::uint64_t address : {1U, 2U})
        (void)writer.call_site({.module = "app", .address = address, .place = ""});
    writer.job().world_size = world_size;
    for (std::int64_t rank = 0; rank < world_size; ++rank) {
        TraceRank described{.rank = rank, .host = static_cast<std::uint32_t>(rank) % 2, .objects = {}};
        for (int i = 0; i < 3; ++i) {
            TraceObject object{.context = static_cast<std::uint64_t>(i),
                               .size = world_size,
                               .name = "",
                               .members = {{0, 1, world_size}},
                               .own_group = {}};
            described.objects.push_back(writer.object(object));
        }
        writer.job().ranks.push_back(std::move(described));
    }
    writer.job().hosts = {{.host = "a"}, {.host = "b"}};
    for (const Stream& stream : streams) {
        writer.begin_stream(stream.rank, stream.thread);
        for (const Item& item : stream.calls) {
            Parameters parameters = item.parameters;
            parameters.requests = item.requests;
            parameters.completed = item.completed;
            parameters.counts = item.counts;
            if (item.parameters.bytes % 2 == 0) {
                writer.append(writer.signature(parameters), item.call);
            } else {
                writer.append(parameters, item.call);
            }
        }
    }
    writer.finish();
}

bool same(const Item& item, const TracedCall& call, const Parameters& p) {
    const Parameters& q = item.parameters;
    const auto numbers = [](const Parameters& of) {
        return std::vector<std::int64_t>{of.object,  of.created,    of.peer,           of.tag,
                                         of.source,  of.source_tag, of.matched_source, of.matched_tag,
                                         of.request, of.message,    of.detail};
    };
    return p.function == q.function && p.site == q.site && p.action == q.action && p.found == q.found &&
           numbers(p) == numbers(q) && p.bytes == q.bytes && p.posted == q.posted &&
           std::ranges::equal(p.requests, item.requests) && std::ranges::equal(p.completed, item.completed) &&
           std::ranges::equal(p.counts, item.counts) && call.begin_ns == item.call.begin_ns &&
           call.end_ns == item.call.end_ns && call.times == item.call.times && call.polling_ns == item.call.polling_ns;
}

struct Check {
    int failed = 0;
    void that(bool holds, const std::string& what) {
        if (holds) return;
        std::printf("%s\n", what.c_str());
        ++failed;
    }
};

const Stream* stream_of(const std::vector<Stream>& streams, const TraceStream& description) {
    const auto at = std::ranges::find_if(streams, [&](const Stream& stream) {
        return stream.rank == description.rank && stream.thread == description.thread;
    });
    return at == streams.end() ? nullptr : &*at;
}

void check_stream(const TraceFile& file, std::size_t number, const Stream& stream, Random& random, Check& check) {
    Cursor cursor = file.cursor(number);
    std::size_t i = 0;
    std::uint64_t calls = 0;
    for (; cursor.next(); ++i) {
        if (i >= stream.calls.size()) return check.that(false, "more calls than were written");
        if (!same(stream.calls[i], cursor.call(), cursor.parameters())) {
            return check.that(false, "call " + std::to_string(i) + " differs");
        }
        check.that(cursor.signature() < file.signatures(), "a signature beyond the number of them");
        calls += cursor.call().times;
    }
    check.that(i == stream.calls.size(), "calls are missing");
    const TraceStream& description = file.job().streams[number];
    check.that(description.events == i && description.calls == calls, "the numbers of calls differ");
    check.that(description.begin_ns == stream.calls.front().call.begin_ns &&
                   description.end_ns == stream.calls.back().call.end_ns,
               "the stream's times differ");
    for (int seeks = 0; seeks < 10; ++seeks) {
        const std::size_t target = random() % stream.calls.size();
        const std::uint64_t ns = stream.calls[target].call.end_ns - random() % 2;
        auto expected = std::ranges::find_if(stream.calls, [&](const Item& item) { return item.call.end_ns > ns; });
        bool there = cursor.seek(ns);
        for (int steps = 0; steps < 3; ++steps, there = there && cursor.next()) {
            check.that(there == (expected != stream.calls.end()), "seek ends elsewhere");
            if (!there || expected == stream.calls.end()) break;
            check.that(same(*expected, cursor.call(), cursor.parameters()), "seek finds another call");
            ++expected;
        }
    }
}

void check_program(const std::string& path, unsigned seed, Check& check) {
    Random random(seed);
    const std::vector<Stream> streams = random_program(random);
    write(path, streams);
    const TraceFile file(path);
    check.that(file.job().lost.empty() && file.job().streams.size() == streams.size(), "streams are missing");
    for (std::size_t i = 0; i < file.job().streams.size(); ++i) {
        const Stream* stream = stream_of(streams, file.job().streams[i]);
        check.that(stream != nullptr, "a stream that was not written");
        if (stream != nullptr) check_stream(file, i, *stream, random, check);
    }
}

/// A clock that is ahead by 1000 ns and gains 1 ns in 1000.
void check_clocks(const std::string& path, Check& check) {
    Random random(7);
    const std::vector<Stream> streams = random_program(random);
    write(path, streams);
    TraceFile file(path);
    HostClock ahead{.host = "b", .offset_ns = 1000, .drift = 0.001, .reference_ns = 500000};
    file.set_clocks({{.host = "a"}, ahead});
    for (std::size_t i = 0; i < file.job().streams.size(); ++i) {
        const Stream* stream = stream_of(streams, file.job().streams[i]);
        Cursor cursor = file.cursor(i);
        check.that(cursor.next(), "a stream is empty");
        const auto local = static_cast<std::int64_t>(stream->calls.front().call.begin_ns);
        const std::int64_t expected =
            stream->rank % 2 == 0 ? local : local + 1000 + std::llround(0.001 * static_cast<double>(local - 500000));
        check.that(static_cast<std::int64_t>(cursor.call().begin_ns) == expected, "a clock is not applied");
    }
}

/// Reads what is left of a damaged file; each call must be one that was written, in its place.
/// \return how many there are; nothing if the file was refused
std::optional<std::uint64_t> read_rest(const std::string& path, const std::vector<Stream>& streams, Check& check) {
    try {
        const TraceFile file(path);
        std::uint64_t events = 0;
        for (std::size_t i = 0; i < file.job().streams.size(); ++i) {
            const Stream* stream = stream_of(streams, file.job().streams[i]);
            Cursor cursor = file.cursor(i);
            for (std::size_t call = 0; cursor.next(); ++call, ++events) {
                check.that(same(stream->calls[call], cursor.call(), cursor.parameters()), "damage changes a call");
            }
            (void)cursor.seek(file.job().streams[i].end_ns / 2);
        }
        check.that(!file.job().lost.empty(), "a damage that nobody is told of");
        return events;
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// \param all_flips  of each byte; otherwise one, in turn
void check_damage(const std::string& path, bool all_flips, Check& check) {
    Random random(3);
    std::vector<Stream> streams;
    for (std::int64_t rank = 0; rank < 3; ++rank) {
        Stream& small = streams.emplace_back(Stream{.rank = rank, .thread = 0, .calls = {}});
        for (int i = 0; i < 7; ++i) small.calls.push_back(random_call(random, 4));
    }
    write(path, streams);
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const auto attempt = [&](const std::string& damaged) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
        return read_rest(path, streams, check);
    };
    std::uint64_t most = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::uint64_t left = attempt(bytes.substr(0, i)).value_or(0);
        check.that(left >= most, "a longer part of the file has fewer calls");
        most = std::max(most, left);
        for (std::size_t flip = 0; flip < kFlips.size(); ++flip) {
            if (!all_flips && flip != i % kFlips.size()) continue;
            std::string damaged = bytes;
            damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ kFlips[flip]);
            (void)attempt(damaged);
        }
    }
    check.that(most == 21, "a file without its last byte has not all calls");
}

/// Bytes of a file for all but times and what varies.
std::size_t sequence_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(kTraceMagic.size()));
    std::size_t bytes = 0;
    BlockHeader header{};
    while (file.read(reinterpret_cast<char*>(&header), sizeof header)) {
        const auto kind = static_cast<TraceBlock>(header.kind);
        if (kind >= TraceBlock::signatures && kind <= TraceBlock::streams) bytes += header.payload_bytes;
        file.seekg(static_cast<std::streamoff>(header.payload_bytes), std::ios::cur);
    }
    return bytes;
}

/// A ring with wrap-around, and a report to rank 0.
std::vector<Stream> ring(std::int32_t ranks, int iterations) {
    std::vector<Stream> streams;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
        Stream& stream = streams.emplace_back(Stream{.rank = rank, .thread = 0, .calls = {}});
        for (int i = 0; i < iterations; ++i) {
            for (const std::int32_t peer : {(rank + 1) % ranks, (rank + ranks - 1) % ranks, 0}) {
                Item item;
                item.parameters.object = 0;
                item.parameters.action = Action::send;
                item.parameters.peer = peer;
                item.call = {.begin_ns = static_cast<std::uint64_t>(i) * 100,
                             .end_ns = static_cast<std::uint64_t>(i) * 100 + 9,
                             .polling_ns = 9};
                stream.calls.push_back(item);
            }
        }
    }
    return streams;
}

void check_sharing(const std::string& path, int iterations, Check& check) {
    write(path, ring(8, 1000), 8);
    const std::size_t eight = sequence_bytes(path);
    const std::vector<Stream> longer = ring(8, iterations);
    write(path, longer, 8);
    check.that(sequence_bytes(path) == eight, "a ring's sequence depends on its iterations");
    Random random(9);
    check_stream(TraceFile(path), 7, longer[7], random, check);
    const std::vector<Stream> more = ring(64, 2);
    write(path, ring(64, 1000), 64);
    check.that(sequence_bytes(path) <= eight + 56 * 3, "ranks of a ring do not share their sequence");
    const TraceFile file(path);
    for (std::size_t i = 0; i < more.size(); ++i) {
        Cursor cursor = file.cursor(i);
        for (const Item& item : more[i].calls) {
            check.that(cursor.next() && same(item, cursor.call(), cursor.parameters()), "a peer differs");
        }
    }
}

/// Each iteration sends other sizes, receives from others, completes others, and polls as often as it likes.
void check_irregular_fields(const std::string& path, Check& check) {
    Random random(5);
    Stream stream{.rank = 0, .thread = 0, .calls = {}};
    std::uint64_t now = 0;
    const auto add = [&](Item item) {
        item.call.begin_ns = now + 100;
        item.call.end_ns = now += 150 + item.call.times;
        item.call.polling_ns = item.call.times == 1 ? item.call.end_ns - item.call.begin_ns : item.call.times;
        stream.calls.push_back(std::move(item));
    };
    for (int i = 0; i < 3000; ++i) {
        Item sends;
        sends.parameters.action = Action::send;
        sends.parameters.object = 0;
        sends.parameters.peer = i % 5;
        sends.parameters.bytes = random() % 100000;
        add(sends);
        Item receives;
        receives.parameters.function = 1;
        receives.parameters.source = kAny;
        receives.parameters.matched_source = below(random, 100);
        add(receives);
        Item completes;
        completes.parameters.function = 2;
        completes.parameters.found = i % 2 == 0;
        completes.call.times = i % 2 == 0 ? 1 : 2 + random() % 1000;
        for (int n = below(random, 6); n > 0; --n) completes.requests.push_back(below(random, 100));
        for (int n = below(random, 3); n > 0; --n)
            completes.completed.push_back({below(random, 9), below(random, 99), n});
        for (int n = below(random, 3); n > 0; --n) completes.counts.push_back(random() % 1000);
        add(completes);
    }
    write(path, {stream});
    check.that(sequence_bytes(path) < 20000, "what varies makes the sequence large");
    const TraceFile file(path);
    check_stream(file, 0, stream, random, check);
    check.that(file.signatures() < 64, "a call that varies has a number for each of its values");
}

}  // namespace

int main(int argc, char** argv) {
    const bool is_long = argc == 3 && std::string(argv[2]) == "long";
    if (argc != 2 && !is_long) {
        std::fputs("usage: trace_round_trip DIRECTORY [long]\n", stderr);
        return 2;
    }
    const std::string path = std::string(argv[1]) + "/trace.ww";
    Check check;
    for (unsigned seed = 0; seed < (is_long ? 200 : 20); ++seed) check_program(path, seed, check);
    check_clocks(path, check);
    check_damage(path, is_long, check);
    check_sharing(path, is_long ? 50000 : 5000, check);
    check_irregular_fields(path, check);
    std::printf("%d failed\n", check.failed);
    return check.failed == 0 ? 0 : 1;
}
