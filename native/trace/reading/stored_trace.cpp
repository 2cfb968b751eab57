#include "trace/reading/stored_trace.hpp"

#include <cstring>
#include <map>
#include <tuple>

#include "base/error.hpp"

namespace waywiser::trace {
namespace {

constexpr std::uint32_t kNoStream = 0xFFFFFFFFU;

CallsBlock decode_index(std::string_view payload) {
    Decoder in(payload);
    CallsBlock block{};
    for (std::uint64_t* part : {&block.before, &block.events, &block.base_ns, &block.latest_ns}) {
        *part = in.integer();
    }
    return block;
}

}  // namespace

StoredTrace::StoredTrace(const std::string& path) : path_(path), file_(path) {
    require(file_.is_open(), path + ": cannot be opened");
    std::string magic(kTraceMagic.size(), '\0');
    require(file_.read_at(0, magic.size(), magic.data()) == magic.size() && magic == kTraceMagic,
            path + ": is not a Waywiser trace of version 1");
    read_blocks();
    count_what_is_left();
    apply_clocks(stored_.hosts);
}

/// Reads block after block until the end, or until the remaining bytes cannot be trusted.
void StoredTrace::read_blocks() {
    std::uint64_t at = kTraceMagic.size();
    std::uint64_t blocks = 0;
    CallsBlock announced{};
    ReadAhead file(file_);
    for (bool indexed = false;;) {
        BlockHeader header{};
        const auto place = [begin = at] { return "byte " + std::to_string(begin); };
        const char* stored = file.piece(at, sizeof header);
        if (stored == nullptr) return lose("the file ends at " + place() + "; calls after that are lost");
        std::memcpy(&header, stored, sizeof header);
        if (header_crc(header) != header.header_crc) {
            return lose("expected a block header at " + place() + "; what follows is lost");
        }
        at += sizeof header;
        if (header.payload_bytes > file_.size() - at) {
            return lose("the file ends within the block at " + place() + "; calls from there on are lost");
        }
        const auto kind = static_cast<TraceBlock>(header.kind);
        if (kind == TraceBlock::calls) {
            announced.at = at;
            announced.bytes = header.payload_bytes;
            announced.crc = header.payload_crc;
            if (indexed) keep(announced, header.number);
            indexed = false;
            ++blocks;
        } else {
            const std::string_view payload = payload_of(file, header, at);
            if (payload.empty()) lose("the block at " + place() + " is damaged; calls that need it are lost");
            try {
                if (!payload.empty() && kind == TraceBlock::index) announced = decode_index(payload);
                indexed = !payload.empty() && kind == TraceBlock::index;
                if (!payload.empty() && kind == TraceBlock::end) {
                    if (Decoder(payload).integer() != blocks) lose("blocks of calls are missing");
                    return;
                }
                if (!payload.empty()) take(kind, payload);
            } catch (const Error& error) {
                lose("the block at " + place() + " " + error.what());
            }
        }
        at += header.payload_bytes;
    }
}

/// \return an empty payload if it is damaged
std::string_view StoredTrace::payload_of(ReadAhead& file, const BlockHeader& header, std::uint64_t at) const {
    const char* stored = file.piece(at, header.payload_bytes);
    if (stored == nullptr) return {};
    const std::string_view payload(stored, header.payload_bytes);
    return crc32(payload) == header.payload_crc ? payload : std::string_view();
}

/// Registers a block. Only blocks without a gap between them can be read; a stream's first gap ends it.
void StoredTrace::keep(const CallsBlock& block, std::uint32_t number) {
    if (number >= stream_of_number_.size() || stream_of_number_[number] >= streams_.size()) return;
    streams_[stream_of_number_[number]].blocks.push_back(block);
}

void StoredTrace::take(TraceBlock kind, std::string_view payload) {
    Decoder in(payload);
    if (kind == TraceBlock::job) {
        if (!signatures_.empty() || !streams_.empty()) throw Error("comes after what refers to it");
        std::vector<std::string> lost = std::move(job_.lost);
        stored_ = decode_job(payload);
        job_.lost = stored_.lost;
        job_.lost.insert(job_.lost.end(), lost.begin(), lost.end());
    } else if (kind == TraceBlock::signatures) {
        std::vector<StoredSignature> decoded;
        for (std::uint64_t n = in.count(); n > 0; --n) decoded.push_back(decode_stored(in));
        if (!signatures_.empty() || !std::ranges::all_of(decoded, [&](const auto& stored) { return refers(stored); })) {
            throw Error("refers to functions or places that are not there");
        }
        signatures_ = std::move(decoded);
        find_kinds();
    } else if (kind == TraceBlock::rules) {
        if (!streams_.empty()) throw Error("comes after what refers to it");
        rules_ = Rules(payload);
    } else if (kind == TraceBlock::meanings) {
        // Symbols have consecutive numbers, and each takes at least two bytes here.
        const std::uint64_t symbols = payload.size() / 2;
        for (std::uint64_t n = in.count(); n > 0; --n) meanings_.push_back(decode_meanings(in, symbols));
    } else if (kind == TraceBlock::streams) {
        decode_streams(in);
    }
}

bool StoredTrace::refers(const StoredSignature& stored) const {
    const Parameters& call = stored.signature.parameters;
    return call.function < stored_.functions.size() && call.site <= stored_.call_sites.size();
}

/// Fields may vary only from some call on; the calls before it have the same kind.
void StoredTrace::find_kinds() {
    const auto group = [](const StoredSignature& stored) {
        const Parameters& p = stored.signature.parameters;
        return std::tuple(p.function, p.site, p.action);
    };
    std::map<std::tuple<std::uint32_t, std::uint32_t, Action>, Fields> varying;
    for (const StoredSignature& stored : signatures_) varying[group(stored)] |= stored.varying;
    std::map<std::string, std::uint32_t> numbers;
    for (const StoredSignature& stored : signatures_) {
        const Fields fields = varying[group(stored)];
        Encoder key;
        key.integer(stored.relative & ~peers_among(fields));
        encode(without(stored.signature.parameters, fields), key);
        kinds_.push_back(numbers.try_emplace(key.bytes(), static_cast<std::uint32_t>(numbers.size())).first->second);
    }
    kind_count_ = static_cast<std::uint32_t>(numbers.size());
}

Meanings StoredTrace::decode_meanings(Decoder& in, std::uint64_t symbols) const {
    Meanings list(in.count());
    std::uint64_t symbol = 0;
    std::uint64_t signature = 0;
    for (auto& [stored_symbol, stored_signature] : list) {
        const std::uint64_t step = in.integer();
        signature += static_cast<std::uint64_t>(in.signed_integer());
        if (signature >= signatures_.size()) throw Error("gives a symbol a meaning that is none");
        if (step >= symbols - symbol) throw Error("gives a meaning to a symbol that cannot be");
        symbol += step;
        stored_symbol = static_cast<std::uint32_t>(symbol);
        stored_signature = static_cast<std::uint32_t>(signature);
    }
    return list;
}

void StoredTrace::decode_streams(Decoder& in) {
    const std::uint64_t n = in.count();
    if (n != stored_.streams.size()) throw Error("has other streams than the job");
    std::vector<StoredStream> read(n);
    std::vector<std::uint32_t> numbers(n, kNoStream);
    for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint64_t rule = in.integer();
        const std::uint64_t list = in.integer();
        const std::uint64_t number = in.integer();
        if (number >= n) throw Error("has a stream of an impossible number");
        if (rule >= rules_.size() || list >= meanings_.size()) {
            if (stored_.streams[i].events == 0) continue;
            throw Error("has a stream whose calls are not there");
        }
        read[i].rule = static_cast<std::uint32_t>(rule);
        read[i].meanings = static_cast<std::uint32_t>(list);
        numbers[number] = i;
    }
    streams_ = std::move(read);
    stream_of_number_ = std::move(numbers);
}

/// Counts the calls that each stream still has after blocks were found damaged.
void StoredTrace::count_what_is_left() {
    streams_.resize(stored_.streams.size());
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        std::uint64_t events = 0;
        for (const CallsBlock& block : streams_[i].blocks) events += block.events;
        TraceStream& stream = stored_.streams[i];
        if (events >= stream.events) continue;
        stream.events = events;
        stream.calls = std::min(stream.calls, events);  // Each of their polls may represent several calls.
    }
}

void StoredTrace::lose_calls(std::size_t stream, std::size_t block, std::uint64_t done, const std::string& why) const {
    const TraceStream& lost = description(stream);
    lose("the calls of rank " + std::to_string(lost.rank) + ", thread " + std::to_string(lost.thread) +
         " from number " + std::to_string(streams_[stream].blocks[block].before + done + 1) +
         " on cannot be read: their block " + why);
}

ClockCorrection StoredTrace::clock_of(std::int64_t rank) const {
    const auto described = std::ranges::lower_bound(stored_.ranks, rank, {}, &TraceRank::rank);
    const bool known =
        described != stored_.ranks.end() && described->rank == rank && described->host < job_.hosts.size();
    return known ? ClockCorrection(job_.hosts[described->host]) : ClockCorrection();
}

void StoredTrace::apply_clocks(std::vector<HostClock> clocks) {
    std::vector<std::string> lost = std::move(job_.lost);
    job_ = stored_;
    job_.lost = std::move(lost);
    job_.hosts = std::move(clocks);
    const auto move = [this](auto& item) {
        const ClockCorrection clock = clock_of(item.rank);
        item.begin_ns = clock.common(item.begin_ns);
        item.end_ns = clock.common(item.end_ns);
    };
    std::ranges::for_each(job_.ranks, move);
    std::ranges::for_each(job_.streams, move);
}

}  // namespace waywiser::trace
