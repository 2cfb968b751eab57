#include "trace/reading/trace_reader.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "trace/encoding/block.hpp"
#include "trace/encoding/call_columns.hpp"
#include "trace/reading/stored_trace.hpp"

namespace waywiser::trace {
namespace {

constexpr std::uint32_t kNoSignature = 0xFFFFFFFFU;

}  // namespace

struct Cursor::Impl {
    const StoredTrace* file;
    std::size_t number;
    const StoredStream* stream;
    ClockCorrection clock;
    OwnPlaces places;
    std::vector<std::uint32_t> signature_of;  ///< signatures by symbol

    std::size_t block = 0;
    std::uint64_t left = 0;  ///< calls left in the block
    std::string payload;
    BitReader bits;
    CallColumns columns;
    Unfold unfold;
    Unfold::Run run;
    std::size_t passed = 0;  ///< numbers of the run that were used
    std::uint64_t last_ns = 0;
    std::uint64_t last_begin_ns = 0;
    std::uint32_t last_symbol = 0;

    Signature own{Parameters{}};  ///< parameters of a call that differ from its signature's

    /// Parameters of recent symbols whose peers are relative and which vary in nothing else.
    struct Absolute {
        std::uint32_t signature = kNoSignature;
        Parameters parameters;
    };
    std::array<Absolute, 32> recent = {};

    Current current{.parameters = &own.parameters};

    Impl(const StoredTrace& of, std::size_t stream_number)
        : file(&of),
          number(stream_number),
          stream(&of.streams()[number]),
          clock(of.clock_of(of.description(number).rank)),
          places(of.places(of.description(number).rank)),
          unfold(of.rules()) {
        if (stream->blocks.empty()) return;
        const Meanings& meanings = of.meanings(*stream);
        if (!meanings.empty()) signature_of.assign(meanings.back().first + 1, kNoSignature);
        for (const auto& [symbol, meaning] : meanings) signature_of[symbol] = meaning;
    }

    /// \param done  number of the block's calls that were read
    void lose(std::uint64_t done, const std::string& why) {
        file->lose_calls(number, block, done, why);
        left = 0;
        block = stream->blocks.size();
    }

    /// \return false at the end, and if the block is damaged
    bool open(std::size_t next_block) {
        block = next_block;
        left = 0;
        if (block >= stream->blocks.size()) return false;
        const CallsBlock& described = stream->blocks[block];
        payload.resize(described.bytes + BitReader::kPadding);
        if (file->file().read_at(described.at, described.bytes, payload.data()) != described.bytes ||
            crc32(std::string_view(payload).substr(0, described.bytes)) != described.crc) {
            lose(0, "is damaged");
            return false;
        }
        bits = BitReader(std::string_view(payload).substr(0, described.bytes));
        columns.restart();
        unfold.start(stream->rule, described.before);
        run = unfold.next();
        passed = 0;
        left = described.events;
        last_ns = described.base_ns;
        last_symbol = 0;
        return true;
    }

    bool next() {
        while (left == 0) {
            if (block >= stream->blocks.size() || !open(payload.empty() ? 0 : block + 1)) return false;
        }
        try {
            read_call();
            return true;
        } catch (const Error& error) {
            lose(stream->blocks[block].events - left, error.what());
            return false;
        }
    }

    std::uint32_t next_symbol() {
        if (passed == run.numbers.size()) {
            passed = 0;
            if (--run.times == 0) run = unfold.next();
            if (run.numbers.empty()) throw Error("has more calls than their sequence");
        }
        return run.numbers[passed++];
    }

    void read_call() {
        const std::uint32_t symbol = next_symbol();
        const std::uint32_t signature = symbol < signature_of.size() ? signature_of[symbol] : kNoSignature;
        if (signature == kNoSignature) throw Error("has a call of no signature");
        std::uint64_t gap = 0;
        std::uint64_t length = 0;
        columns.times(last_symbol, symbol).code(bits, gap, length);
        const std::uint64_t begin_ns = last_ns + gap;
        // A call may start before the end of its predecessor, but not before its start.
        if (begin_ns < last_begin_ns || begin_ns + length < begin_ns) throw Error("has no such times");
        last_begin_ns = begin_ns;
        last_ns = begin_ns + length;
        last_symbol = symbol;
        --left;
        TracedCall& call = current.call;
        call.begin_ns = clock.common(begin_ns);
        call.end_ns = clock.common(last_ns);
        call.times = 1;
        call.polling_ns = call.end_ns - call.begin_ns;
        current.signature = file->kind(signature);
        const StoredSignature& stored = file->signatures()[signature];
        if (stored.varying != 0) {
            read_own(stored, symbol, length);
        } else {
            current.parameters = stored.relative == 0 ? &stored.signature.parameters : absolute(stored, signature);
        }
    }

    const Parameters* absolute(const StoredSignature& stored, std::uint32_t signature) {
        Absolute& known = recent[signature % recent.size()];
        if (known.signature != signature) {
            known = {.signature = kNoSignature, .parameters = stored.signature.parameters};
            make_absolute(known.parameters, stored.relative, places.in(known.parameters.object));
            known.signature = signature;
        }
        return &known.parameters;
    }

    void read_own(const StoredSignature& stored, std::uint32_t symbol, std::uint64_t length) {
        TracedCall& call = current.call;
        if ((stored.varying & kTimes) != 0) {
            std::uint64_t outside_ns = 0;
            columns.code_polls(bits, symbol, call.times, outside_ns);
            if (call.times != 1) call.polling_ns = length - outside_ns;
        }
        current.parameters = &stored.signature.parameters;
        if ((stored.varying & ~kTimes) == 0 && stored.relative == 0) return;
        own.parameters = stored.signature.parameters;
        if ((stored.varying & ~kTimes) != 0) {
            own.requests = stored.signature.requests;
            own.completed = stored.signature.completed;
            own.counts = stored.signature.counts;
            columns.code_fields(bits, symbol, stored.varying, own);
        }
        if (stored.relative != 0) {
            make_absolute(own.parameters, stored.relative, places.in(stored.signature.parameters.object));
        }
        current.parameters = &own.parameters;
    }

    bool seek(std::uint64_t ns) {
        const auto after = std::ranges::upper_bound(
            stream->blocks, ns, {}, [this](const CallsBlock& described) { return clock.common(described.latest_ns); });
        last_begin_ns = 0;
        if (!open(static_cast<std::size_t>(after - stream->blocks.begin()))) return false;
        while (next()) {
            if (current.call.end_ns > ns) return true;
        }
        return false;
    }
};

Cursor::Cursor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)), current_(&impl_->current) {}
Cursor::Cursor(Cursor&&) noexcept = default;
Cursor& Cursor::operator=(Cursor&&) noexcept = default;
Cursor::~Cursor() = default;
bool Cursor::next() { return impl_->next(); }
bool Cursor::seek(std::uint64_t ns) { return impl_->seek(ns); }

TraceFile::TraceFile(const std::string& path) : stored_(std::make_unique<StoredTrace>(path)) {}
TraceFile::~TraceFile() = default;
const TraceJob& TraceFile::job() const { return stored_->job(); }
std::uint32_t TraceFile::signatures() const { return stored_->kinds(); }

Cursor TraceFile::cursor(std::size_t stream) const {
    const std::size_t streams = stored_->streams().size();
    require(stream < streams, "the trace has " + std::to_string(streams) + " streams");
    return Cursor(std::make_unique<Cursor::Impl>(*stored_, stream));
}

CallBlocks TraceFile::blocks(const std::function<bool(const Parameters&)>& keeps_length) const {
    return {*stored_, keeps_length};
}

void TraceFile::set_clocks(std::vector<HostClock> clocks) {
    const std::size_t hosts = stored_->job().hosts.size();
    require(clocks.size() == hosts, "expected the clocks of " + std::to_string(hosts) + " hosts");
    stored_->apply_clocks(std::move(clocks));
}

}  // namespace waywiser::trace
