/// Traces of random programs, read back: call by call, from any time on, and from damaged files.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "trace/trace_reader.hpp"
#include "trace/trace_writer.hpp"

namespace {

using namespace waywiser;
using namespace waywiser::trace;

using Random = std::mt19937_64;

/// Parameters with lists of their own.
struct Made {
    Parameters parameters;
    std::vector<std::int32_t> requests;
    std::vector<Completion> completed;
    std::vector<std::uint64_t> counts;
    TracedCall call;
};

struct Stream {
    std::int64_t rank;
    std::uint32_t thread;
    std::vector<Made> calls;
};

std::int32_t below(Random& random, int n) { return static_cast<std::int32_t>(random() % static_cast<unsigned>(n)); }

Made random_call(Random& random, int kinds) {
    Random of_kind(random() % static_cast<unsigned>(kinds));
    Made made;
    Parameters& p = made.parameters;
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
    for (int n = below(of_kind, 4); n > 0; --n) made.requests.push_back(below(random, 9));
    for (int n = below(of_kind, 3); n > 0; --n) made.completed.push_back({below(random, 4), kNone, below(of_kind, 3)});
    for (int n = below(of_kind, 3); n > 0; --n) made.counts.push_back(random() % 100);
    return made;
}

/// Nested loops, with calls in between that vary.
void run(Random& random, int depth, int kinds, std::vector<Made>& calls) {
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
            for (Made& made : stream.calls) {
                TracedCall& call = made.call;
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

void write(const std::string& path, const std::vector<Stream>& streams) {
    TraceWriter writer(path);
    for (const char* name : {"MPI_Send", "MPI_Recv", "MPI_Wait"}) (void)writer.function(name);
    for (const std::uint64_t address : {1U, 2U}) (void)writer.call_site({.module = "app", .address = address, .place = ""});
    writer.job().world_size = 4;
    for (std::int64_t rank = 0; rank < 4; ++rank) {
        TraceRank described{.rank = rank, .host = static_cast<std::uint32_t>(rank) % 2, .objects = {}};
        for (int i = 0; i < 3; ++i) {
            TraceObject object{.context = static_cast<std::uint64_t>(i), .size = 4, .name = "", .members = {{0, 1, 4}}, .own_group = {}};
            described.objects.push_back(writer.object(object));
        }
        writer.job().ranks.push_back(std::move(described));
    }
    writer.job().hosts = {{.host = "a"}, {.host = "b"}};
    for (const Stream& stream : streams) {
        writer.begin_stream(stream.rank, stream.thread);
        for (const Made& made : stream.calls) {
            Parameters parameters = made.parameters;
            parameters.requests = made.requests;
            parameters.completed = made.completed;
            parameters.counts = made.counts;
            writer.append(writer.signature(parameters), made.call);
        }
    }
    writer.finish();
}

bool same(const Made& made, const TracedCall& call, const Parameters& p) {
    const Parameters& q = made.parameters;
    const auto numbers = [](const Parameters& of) {
        return std::vector<std::int64_t>{of.object,         of.created,     of.peer,    of.tag,     of.source, of.source_tag,
                                         of.matched_source, of.matched_tag, of.request, of.message, of.detail};
    };
    return p.function == q.function && p.site == q.site && p.action == q.action && p.found == q.found &&
           numbers(p) == numbers(q) && p.bytes == q.bytes && p.posted == q.posted &&
           std::ranges::equal(p.requests, made.requests) && std::ranges::equal(p.completed, made.completed) &&
           std::ranges::equal(p.counts, made.counts) && call.begin_ns == made.call.begin_ns &&
           call.end_ns == made.call.end_ns && call.times == made.call.times && call.polling_ns == made.call.polling_ns;
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
        auto expected = std::ranges::find_if(stream.calls, [&](const Made& made) { return made.call.end_ns > ns; });
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
        const std::int64_t expected = stream->rank % 2 == 0 ? local : local + 1000 + std::llround(0.001 * static_cast<double>(local - 500000));
        check.that(static_cast<std::int64_t>(cursor.call().begin_ns) == expected, "a clock is not applied");
    }
}

/// \return calls that could be read; none if the file was refused
std::optional<std::uint64_t> read_all(const std::string& path, bool& says_lost) {
    try {
        const TraceFile file(path);
        std::uint64_t events = 0;
        for (std::size_t i = 0; i < file.job().streams.size(); ++i) {
            Cursor cursor = file.cursor(i);
            while (cursor.next()) ++events;
            (void)cursor.seek(file.job().streams[i].end_ns / 2);
        }
        says_lost = !file.job().lost.empty();
        return events;
    } catch (const Error&) {
        return std::nullopt;
    }
}

void check_damage(const std::string& path, Check& check) {
    Random random(3);
    Stream small{.rank = 0, .thread = 0, .calls = {}};
    for (int i = 0; i < 20; ++i) small.calls.push_back(random_call(random, 4));
    write(path, {small});
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const auto attempt = [&](const std::string& mutated) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << mutated;
        bool says_lost = true;
        (void)read_all(path, says_lost);
        check.that(says_lost, "a damage that nobody is told of");
    };
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        attempt(bytes.substr(0, i));
        for (const unsigned flip : {0x01U, 0x80U, 0xFFU}) {
            std::string mutated = bytes;
            mutated[i] = static_cast<char>(static_cast<unsigned char>(mutated[i]) ^ flip);
            attempt(mutated);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: trace_round_trip FOLDER\n", stderr);
        return 2;
    }
    const std::string path = std::string(argv[1]) + "/trace.ww";
    Check check;
    for (unsigned seed = 0; seed < 200; ++seed) check_program(path, seed, check);
    check_clocks(path, check);
    check_damage(path, check);
    std::printf("%d failed\n", check.failed);
    return check.failed == 0 ? 0 : 1;
}
