#include "trace/writing/trace_writer.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "base/durable_file.hpp"
#include "base/error.hpp"
#include "trace/encoding/block.hpp"
#include "trace/encoding/peers.hpp"
#include "trace/encoding/sequence.hpp"
#include "trace/encoding/trace_file.hpp"
#include "trace/writing/stream_symbols.hpp"

namespace waywiser::trace {
namespace {

constexpr std::uint64_t kEventsInBlock = 16384;
constexpr std::size_t kBytesInBlock = std::size_t{1} << 20U;
constexpr std::size_t kFoldNodes = std::size_t{1} << 20U;  ///< memory limit of an irregular sequence [nodes]

constexpr std::string_view kTraceDescription =
    "Waywiser trace, version 1. Blocks: kind, CRC-32, payload bytes, number, header CRC-32; payloads are LEB128 "
    "integers (signed ones zigzag) and length-prefixed UTF-8. Kinds: 1 this text, 2 job, 3 signatures, 4 rules of the "
    "call sequences, 5 meanings of their symbols, 6 streams, 7 index of the block of calls that follows, 8 calls "
    "(times "
    "[ns] and what varies, in adaptive Exp-Golomb codes), 9 end.";

std::string block(TraceBlock kind, std::string_view payload, std::uint32_t number = 0) {
    return trace::block(static_cast<std::uint32_t>(kind), payload, number);
}

struct Stream {
    TraceStream description;
    std::uint32_t rule = 0;
    std::map<std::uint32_t, std::uint32_t> meanings;  ///< base numbers, indexed by symbol
};

/// Sets the times of ranks without times to those of their streams.
void widen(std::vector<TraceRank>& ranks, const std::vector<TraceStream>& streams) {
    std::map<std::int64_t, std::pair<std::uint64_t, std::uint64_t>> times;
    for (const TraceStream& stream : streams) {
        auto& [begin_ns, end_ns] = times.try_emplace(stream.rank, stream.begin_ns, stream.end_ns).first->second;
        begin_ns = std::min(begin_ns, stream.begin_ns);
        end_ns = std::max(end_ns, stream.end_ns);
    }
    for (TraceRank& rank : ranks) {
        const auto known = times.find(rank.rank);
        if (rank.begin_ns == 0 && rank.end_ns == 0 && known != times.end()) {
            std::tie(rank.begin_ns, rank.end_ns) = known->second;
        }
    }
}

/// Stores equal byte strings once.
class Interned {
public:
    std::uint32_t number(const std::string& bytes) {
        const auto [at, added] = numbers_.try_emplace(bytes, static_cast<std::uint32_t>(in_order_.size()));
        if (added) in_order_.push_back(&at->first);
        return at->second;
    }

    [[nodiscard]] std::string encode() const {
        Encoder count;
        count.integer(in_order_.size());
        std::string bytes = count.bytes();
        for (const std::string* item : in_order_) bytes += *item;
        return bytes;
    }

private:
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<const std::string*> in_order_;
};

}  // namespace

struct TraceWriter::Impl {
    std::string path;
    DurableFile calls_file;  ///< blocks of calls, until the tables to which they refer are complete; never published
    TraceJob job;
    std::map<std::string, std::uint32_t> functions;
    std::map<CallSite, std::uint32_t> call_sites;
    std::map<std::string, std::uint32_t> objects;
    SymbolTable symbols;
    RuleTable rules;
    std::vector<Stream> streams;
    std::uint64_t blocks = 0;

    // State of the current stream.
    std::unique_ptr<StreamSymbols> stream_symbols;
    Fold fold;
    std::vector<std::uint32_t> parts;  ///< rules of the parts that were folded before
    CallColumns columns;
    BitWriter bits;
    std::uint64_t events = 0;  ///< events in the current block
    std::uint64_t block_base_ns = 0;
    std::uint64_t last_ns = 0;
    std::uint32_t last_symbol = 0;
    Signature scratch{Parameters{}};

    explicit Impl(const std::string& to) : path(to), calls_file(to) {}

    StreamSymbols& present_stream() {
        require(stream_symbols != nullptr, "calls belong to a stream: begin one before");
        return *stream_symbols;
    }

    void append(const StreamSymbols::Call& coded, const TracedCall& call) {
        if (events == kEventsInBlock || bits.size() >= kBytesInBlock) end_block();
        if (events == 0) begin_block();
        fold.append(coded.symbol);
        std::uint64_t gap = call.begin_ns - last_ns;
        std::uint64_t length = call.end_ns - call.begin_ns;
        columns.times(last_symbol, coded.symbol).code(bits, gap, length);
        if (coded.varying != 0) append_varying(coded, call, length);
        TraceStream& stream = streams.back().description;
        if (stream.events == 0) stream.begin_ns = call.begin_ns;
        stream.end_ns = std::max(stream.end_ns, call.end_ns);
        stream.calls += call.times;
        ++stream.events;
        ++events;
        last_ns = call.end_ns;
        last_symbol = coded.symbol;
    }

    void append_varying(const StreamSymbols::Call& coded, const TracedCall& call, std::uint64_t length) {
        if ((coded.varying & kTimes) != 0) {
            std::uint64_t times = call.times;
            std::uint64_t outside_ns = length - call.polling_ns;
            columns.code_polls(bits, coded.symbol, times, outside_ns);
        }
        if ((coded.varying & ~kTimes) == 0) return;
        scratch = *coded.signature;
        columns.code_fields(bits, coded.symbol, coded.varying, scratch);
    }

    void begin_block() {
        columns.restart();
        block_base_ns = last_ns;
        last_symbol = 0;
        if (fold.size() > kFoldNodes) end_part();
    }

    void end_block() {
        if (events == 0) return;
        const TraceStream& stream = streams.back().description;
        const auto number = static_cast<std::uint32_t>(streams.size() - 1);
        Encoder index;
        for (const std::uint64_t part : {stream.events - events, events, block_base_ns, stream.end_ns}) {
            index.integer(part);
        }
        calls_file.write(block(TraceBlock::index, index.bytes(), number));
        calls_file.write(block(TraceBlock::calls, bits.take(), number));
        ++blocks;
        events = 0;
    }

    void end_part() {
        std::vector<std::vector<Repeated>> folded = fold.finish();
        fold = {};
        if (!folded.empty()) parts.push_back(rules.add(std::move(folded)));
    }

    void end_stream() {
        if (!stream_symbols) return;
        end_block();
        end_part();
        streams.back().meanings = stream_symbols->meanings();
        stream_symbols = nullptr;
        if (parts.size() == 1) {
            streams.back().rule = parts.front();
        } else if (parts.size() > 1) {
            std::vector<Repeated> whole;
            whole.reserve(parts.size());
            for (const std::uint32_t part : parts) whole.push_back({.symbol = part << 1U | 1U, .count = 1});
            streams.back().rule = rules.add_rule(whole);
        }
        parts.clear();
    }

    /// The payloads of signatures, of the meanings of streams' symbols, and of streams.
    std::array<std::string, 3> encode_streams(const std::vector<std::uint32_t>& order) {
        PeerForms forms;
        std::vector<std::optional<SymbolTable::Base>> bases;
        const auto each_meaning = [&](const Stream& stream, auto visit) {
            const OwnPlaces places(job, stream.description.rank);
            for (const auto& [symbol, number] : stream.meanings) {
                if (number >= bases.size()) bases.resize(number + 1);
                std::optional<SymbolTable::Base>& base = bases[number];
                if (!base) base = symbols.base(number);
                const auto& [varying, signature] = *base;
                visit(symbol, signature, varying, places.in(signature.parameters.object));
            }
        };
        for (const Stream& stream : streams) {
            each_meaning(stream, [&](auto&&... meaning) { forms.add(meaning...); });
        }
        Interned signatures;
        Interned meanings;
        Encoder table;
        table.integer(streams.size());
        for (const std::uint32_t number : order) {
            const Stream& stream = streams[number];
            Encoder list;
            list.integer(stream.meanings.size());
            std::int64_t last_signature = 0;
            std::uint32_t last = 0;
            each_meaning(stream, [&](std::uint32_t symbol, const Signature& base, Fields varying, const OwnPlace& own) {
                Encoder key;
                encode(forms.form(symbol, base, varying, own), key);
                const std::int64_t signature = signatures.number(key.bytes());
                list.integer(symbol - last);
                list.signed_integer(signature - last_signature);
                last = symbol;
                last_signature = signature;
            });
            for (const std::uint32_t part : {stream.rule, meanings.number(list.bytes()), number}) table.integer(part);
        }
        return {signatures.encode(), meanings.encode(), table.bytes()};
    }

    void write_tables(DurableFile& file) {
        std::vector<std::uint32_t> order(streams.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::sort(order, {}, [this](std::uint32_t number) {
            const TraceStream& stream = streams[number].description;
            return std::tuple(stream.rank, stream.thread, number);
        });
        job.streams.clear();
        for (const std::uint32_t number : order) job.streams.push_back(streams[number].description);
        widen(job.ranks, job.streams);
        const auto [signatures, meanings, table] = encode_streams(order);
        file.write(kTraceMagic);
        file.write(block(TraceBlock::description, kTraceDescription));
        file.write(block(TraceBlock::job, encode_job(job)));
        file.write(block(TraceBlock::signatures, signatures));
        file.write(block(TraceBlock::rules, rules.encode()));
        file.write(block(TraceBlock::meanings, meanings));
        file.write(block(TraceBlock::streams, table));
    }

    void copy_calls(DurableFile& file) {
        file.append(calls_file);
        Encoder end;
        end.integer(blocks);
        file.write(block(TraceBlock::end, end.bytes()));
    }
};

TraceWriter::TraceWriter(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}

TraceWriter::~TraceWriter() = default;

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
    impl_->end_stream();
    impl_->streams.push_back({.description = {.rank = rank, .thread = thread}, .meanings = {}});
    impl_->stream_symbols = std::make_unique<StreamSymbols>(impl_->symbols);
    impl_->last_ns = 0;
}

std::uint32_t TraceWriter::signature(const Parameters& parameters) {
    return impl_->present_stream().signature(parameters);
}

void TraceWriter::append(std::uint32_t signature, const TracedCall& call) {
    impl_->append(impl_->present_stream().call(signature, call.times != 1), call);
}

void TraceWriter::append(const Parameters& parameters, const TracedCall& call) {
    impl_->append(impl_->present_stream().call(parameters, call.times != 1), call);
}

void TraceWriter::finish() {
    impl_->end_stream();
    DurableFile file(impl_->path);
    impl_->write_tables(file);
    impl_->copy_calls(file);
    file.publish();
}

}  // namespace waywiser::trace
