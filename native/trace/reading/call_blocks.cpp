#include "trace/reading/call_blocks.hpp"

#include <array>
#include <limits>
#include <span>

#include "base/error.hpp"
#include "trace/encoding/call_columns.hpp"
#include "trace/reading/stored_trace.hpp"

namespace waywiser::trace {

struct CallBlocks::Impl {
    const StoredTrace* file = nullptr;
    std::vector<List> lists;
    enum class Kept : std::uint8_t { nothing, gap, all };
    /// what to keep of each call, by list and symbol; nothing for symbols without a call
    std::vector<std::vector<Kept>> kept;
};

class CallBlocks::Reader final : public CallReader {
public:
    explicit Reader(const CallBlocks::Impl& of)
        : blocks_(of), file_(*of.file), bytes_(file_.file()), unfold_(file_.rules()) {}

    [[nodiscard]] bool read(std::size_t stream, std::size_t number, BlockOfCalls& block) override {
        block.calls.clear();
        block.full.clear();
        block.gaps_ns = block.lengths_ns = 0;
        const StoredStream& stored = file_.streams()[stream];
        if (number >= stored.blocks.size()) return false;
        try {
            decode(stored, stored.blocks[number], block);
        } catch (const Error& error) {
            file_.lose_calls(stream, number, block.calls.size(), error.what());
            return !block.calls.empty();
        }
        return true;
    }

private:
    using Kept = CallBlocks::Impl::Kept;

    static constexpr std::size_t kTogether = 512;
    static constexpr std::uint64_t kMostGap = std::numeric_limits<std::uint32_t>::max();

    /// A call of a run: the times of its kind, and `what` as in BlockOfCalls::Call, or twice its symbol plus 1.
    struct Step {
        CallTimes* times;
        std::uint32_t what;
    };

    /// A decoded call, and the position of the next one.
    struct Decoded {
        BlockOfCalls::Call call;
        std::uint64_t gap_ns;
        BitReader rest;
    };

    void decode(const StoredStream& stream, const CallsBlock& described, BlockOfCalls& block) {
        const char* bytes = bytes_.piece(described.at, described.bytes);
        const std::string_view payload(bytes, bytes == nullptr ? 0 : described.bytes);
        if (bytes == nullptr || crc32(payload) != described.crc) throw Error("is damaged");
        bits_ = BitReader(payload);
        last_ns_ = described.base_ns;
        signatures_ = &blocks_.lists[stream.meanings];
        columns_.restart();
        unfold_.start(stream.rule, described.before);
        // A call takes two bits or more.
        block.calls.reserve(std::min<std::uint64_t>(described.events, 4 * described.bytes));
        std::uint32_t before = 0;
        for (std::uint64_t left = described.events; left > 0;) {
            const Unfold::Run run = unfold_.next();
            if (run.numbers.empty()) throw Error("has more calls than their sequence");
            const std::uint64_t calls = std::min(run.times * run.numbers.size(), left);
            prepare(run.numbers, before, blocks_.kept[stream.meanings]);
            if (steps_.size() < std::min<std::uint64_t>(calls, run.numbers.size())) {
                if (!steps_.empty()) decode_some(steps_.size(), block);
                throw Error("has a call of no signature");
            }
            for (std::uint64_t done = 0; done < calls; done += kTogether) {
                decode_some(std::min(calls - done, kTogether), block);
            }
            left -= calls;
            before = run.numbers.back();
        }
    }

    /// Prepares a run of calls before their times are read, up to the first symbol that is not kept.
    void prepare(std::span<const std::uint32_t> symbols, std::uint32_t before, const std::vector<Kept>& kept) {
        steps_.clear();
        for (const std::uint32_t symbol : symbols) {
            if (symbol >= kept.size() || kept[symbol] == Kept::nothing) break;
            const std::uint32_t full = kept[symbol] == Kept::all ? 1 : 0;
            steps_.push_back({.times = &columns_.times(before, symbol), .what = symbol << 1U | full});
            before = symbol;
        }
        again_ = &columns_.times(symbols.back(), symbols.front());
        next_ = 0;
    }

    /// \param calls  up to kTogether
    void decode_some(std::size_t calls, BlockOfCalls& block) {
        // All data that change from call to call stay in registers.
        std::array<BlockOfCalls::Call, kTogether> decoded;
        BlockOfCalls::Call* end = decoded.data();
        Step* step = steps_.data() + next_;
        Step* const last = steps_.data() + steps_.size() - 1;
        BitReader bits = bits_;
        std::uint64_t gaps_ns = 0;
        std::uint64_t lengths_ns = 0;
        std::uint64_t most = most_plain(last_ns_);
        try {
            for (; calls > 0; --calls) {
                std::uint64_t gap = 0;
                std::uint64_t length = 0;
                step->times->code(bits, gap, length);
                BlockOfCalls::Call call{.gap_ns = static_cast<std::uint32_t>(gap), .what = step->what};
                if (call.is_full() || (gap | length) > most) {
                    const Decoded far = decode_rest(call, gap, length, last_ns_ + gaps_ns + lengths_ns, bits, block);
                    call = far.call;
                    gap = far.gap_ns;
                    bits = far.rest;
                    most = most_plain(last_ns_ + gaps_ns + lengths_ns + gap + length);
                }
                *end++ = call;
                gaps_ns += gap;
                lengths_ns += length;
                if (step++ == last) {
                    step = steps_.data();
                    step->times = again_;
                }
            }
        } catch (const Error&) {
            keep({decoded.data(), end}, gaps_ns, lengths_ns, block);
            throw;
        }
        keep({decoded.data(), end}, gaps_ns, lengths_ns, block);
        bits_ = bits;
        last_ns_ += gaps_ns + lengths_ns;
        next_ = static_cast<std::size_t>(step - steps_.data());
    }

    /// \return the largest gap and length that need no check: a batch of such calls cannot exceed the largest time
    static std::uint64_t most_plain(std::uint64_t last_ns) {
        return last_ns < kMostTime_ns - 2 * kTogether * kMostGap ? kMostGap : 0;
    }

    static void keep(std::span<const BlockOfCalls::Call> calls, std::uint64_t gaps_ns, std::uint64_t lengths_ns,
                     BlockOfCalls& block) {
        block.calls.insert(block.calls.end(), calls.begin(), calls.end());
        block.gaps_ns += gaps_ns;
        block.lengths_ns += lengths_ns;
    }

    /// Decodes the rest of a call that is long, or whose length or parameters are kept.
    Decoded decode_rest(BlockOfCalls::Call call, std::uint64_t gap, std::uint64_t length, std::uint64_t before_ns,
                        const BitReader& bits, BlockOfCalls& block) {
        if (before_ns + gap + length > kMostTime_ns || length > kMostTime_ns) throw Error("has no such times");
        if (!call.is_full() && gap <= kMostGap) return {.call = call, .gap_ns = gap, .rest = bits};
        const std::uint32_t symbol = call.what >> 1U;
        const auto index = static_cast<std::uint32_t>(block.full.size());
        Decoded decoded{.call = {.gap_ns = 0, .what = index << 1U | 1U}, .gap_ns = gap, .rest = bits};
        if (static_cast<std::int64_t>(gap) < 0) {
            // The call started before the end of its predecessor.
            last_ns_ += gap;
            decoded.gap_ns = 0;
        }
        FullCall& full = block.full.emplace_back();
        full.symbol = symbol;
        full.gap_ns = decoded.gap_ns;
        full.length_ns = full.polling_ns = length;
        decode_fields(*(*signatures_)[symbol], decoded.rest, full);
        return decoded;
    }

    void decode_fields(const StoredSignature& stored, BitReader& bits, FullCall& call) {
        if ((stored.varying & kTimes) != 0) {
            std::uint64_t outside_ns = 0;
            columns_.code_polls(bits, call.symbol, call.times, outside_ns);
            if (call.times != 1) call.polling_ns = call.length_ns - std::min(outside_ns, call.length_ns);
        }
        call.varied = (stored.varying & ~kTimes) != 0;
        if (!call.varied) return;
        call.own = stored.signature;
        columns_.code_fields(bits, call.symbol, stored.varying, call.own);
    }

    const CallBlocks::Impl& blocks_;
    const StoredTrace& file_;
    ReadAhead bytes_;
    CallColumns columns_;
    Unfold unfold_;

    // State of the current block.
    BitReader bits_;
    std::uint64_t last_ns_ = 0;  ///< end of the preceding call
    const CallBlocks::List* signatures_ = nullptr;

    // State of the current run.
    std::vector<Step> steps_;
    std::size_t next_ = 0;
    CallTimes* again_ = nullptr;  ///< times of the first step when it follows the last one
};

CallBlocks::CallBlocks(const StoredTrace& trace, const std::function<bool(const Parameters&)>& keeps_length)
    : impl_(std::make_unique<Impl>()) {
    impl_->file = &trace;
    for (const Meanings& meanings : trace.all_meanings()) {
        List& list = impl_->lists.emplace_back();
        if (!meanings.empty()) list.resize(meanings.back().first + 1);
        std::vector<Impl::Kept>& kept = impl_->kept.emplace_back(list.size());
        for (const auto& [symbol, signature] : meanings) {
            const StoredSignature& stored = trace.signatures()[signature];
            list[symbol] = &stored;
            const bool plain = stored.varying == 0 && !keeps_length(stored.signature.parameters);
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
