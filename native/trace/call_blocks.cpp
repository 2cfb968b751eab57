#include "trace/call_blocks.hpp"

#include <limits>

#include "base/error.hpp"
#include "trace/call_columns.hpp"
#include "trace/stored_trace.hpp"

namespace waywiser::trace {

struct CallBlocks::Impl {
    const StoredTrace* file = nullptr;
    std::vector<List> lists;
    enum class Kept : std::uint8_t { nothing, gap, all };
    std::vector<std::vector<Kept>> kept;  ///< by list and symbol: what of each call is; of nothing that is no call
};

class CallBlocks::Reader final : public CallReader {
public:
    explicit Reader(const CallBlocks::Impl& of) : blocks_(of), file_(*of.file), bytes_(file_.file()) {}

    [[nodiscard]] bool read(std::size_t stream, std::size_t number, BlockOfCalls& block) override {
        block.calls.clear();
        block.full.clear();
        block.gaps_ns = block.lengths_ns = 0;
        const StoredStream& stored = file_.streams()[stream];
        if (number >= stored.blocks.size()) return false;
        const CallsBlock& described = stored.blocks[number];
        try {
            const char* bytes = bytes_.piece(described.at, described.bytes);
            const std::string_view payload(bytes, bytes == nullptr ? 0 : described.bytes);
            if (bytes == nullptr || crc32(payload) != described.crc) throw Error("is damaged");
            block.calls.reserve(std::min<std::uint64_t>(described.events, 8 * described.bytes));
            decode(stored, described, payload, block);
        } catch (const Error& error) {
            const TraceStream& description = file_.description(stream);
            file_.lose("the calls of rank " + std::to_string(description.rank) + ", thread " +
                       std::to_string(description.thread) + " from number " +
                       std::to_string(described.before + block.calls.size() + 1) + " on cannot be read: their block " +
                       error.what());
            return !block.calls.empty();
        }
        return true;
    }

private:
    void decode(const StoredStream& stream, const CallsBlock& described, std::string_view payload,
                BlockOfCalls& block) {
        constexpr std::uint64_t kMostGap = std::numeric_limits<std::uint32_t>::max();
        using Kept = CallBlocks::Impl::Kept;
        const CallBlocks::List& signatures = blocks_.lists[stream.meanings];
        const std::vector<Kept>& kept = blocks_.kept[stream.meanings];
        BitReader bits(payload);
        columns_.restart();
        Unfold unfold(file_.rules());
        unfold.start(stream.rule, described.before);
        std::uint64_t last_ns = described.base_ns;
        std::uint32_t before = 0;
        for (std::uint64_t left = described.events; left > 0; --left) {
            std::uint32_t symbol = 0;
            if (!unfold.next(symbol)) throw Error("has more calls than their sequence");
            if (symbol >= kept.size() || kept[symbol] == Kept::nothing) throw Error("has a call of no signature");
            std::uint64_t gap = 0;
            std::uint64_t length = 0;
            columns_.code_times(bits, before, symbol, gap, length);
            before = symbol;
            last_ns += gap + length;
            // A call may begin before the end of the one before.
            if (last_ns > kMostTime_ns || length > kMostTime_ns) throw Error("has no such times");
            const bool early = static_cast<std::int64_t>(gap) < 0;
            block.gaps_ns += early ? 0 : gap;
            block.lengths_ns += length;
            if (kept[symbol] == Kept::gap && gap <= kMostGap) {
                block.calls.push_back({.gap_ns = static_cast<std::uint32_t>(gap), .what = symbol << 1U});
            } else {
                block.calls.push_back({.gap_ns = 0, .what = static_cast<std::uint32_t>(block.full.size()) << 1U | 1U});
                read_full(*signatures[symbol], bits, symbol, early ? 0 : gap, length, block);
            }
        }
    }

    void read_full(const StoredSignature& what, BitReader& bits, std::uint32_t symbol, std::uint64_t gap,
                   std::uint64_t length, BlockOfCalls& block) {
        FullCall& call = block.full.emplace_back();
        call.symbol = symbol;
        call.gap_ns = gap;
        call.length_ns = length;
        call.polling_ns = length;
        if ((what.varying & kTimes) != 0) {
            std::uint64_t outside_ns = 0;
            columns_.code_polls(bits, symbol, call.times, outside_ns);
            if (call.times != 1) call.polling_ns = length - std::min(outside_ns, length);
        }
        call.varied = (what.varying & ~kTimes) != 0;
        if (!call.varied) return;
        call.own = what.signature;
        columns_.code_fields(bits, symbol, what.varying, call.own);
    }

    const CallBlocks::Impl& blocks_;
    const StoredTrace& file_;
    ReadAhead bytes_;
    CallColumns columns_;
};

CallBlocks::CallBlocks(const StoredTrace& trace, const std::function<bool(const Parameters&)>& keeps_length)
    : impl_(std::make_unique<Impl>()) {
    impl_->file = &trace;
    for (const Meanings& meanings : trace.all_meanings()) {
        List& list = impl_->lists.emplace_back();
        if (!meanings.empty()) list.resize(meanings.back().first + 1);
        std::vector<Impl::Kept>& kept = impl_->kept.emplace_back(list.size());
        for (const auto& [symbol, signature] : meanings) {
            const StoredSignature& what = trace.signatures()[signature];
            list[symbol] = &what;
            const bool plain = what.varying == 0 && !keeps_length(what.signature.parameters);
            kept[symbol] = plain ? Impl::Kept::gap : Impl::Kept::all;
        }
    }
}

CallBlocks::CallBlocks(CallBlocks&&) noexcept = default;
CallBlocks::~CallBlocks() = default;

const std::vector<CallBlocks::List>& CallBlocks::lists() const { return impl_->lists; }

std::uint32_t CallBlocks::list_of(std::size_t stream) const { return impl_->file->streams()[stream].meanings; }

std::unique_ptr<CallReader> CallBlocks::reader() const { return std::make_unique<Reader>(*impl_); }

}  // namespace waywiser::trace
