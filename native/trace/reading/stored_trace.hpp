/// All data of a trace file except the calls, and the positions of the calls.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/encoding/block.hpp"
#include "trace/encoding/peers.hpp"
#include "trace/encoding/sequence.hpp"
#include "trace/encoding/shared_file.hpp"
#include "trace/encoding/trace_file.hpp"
#include "trace/records/trace.hpp"

namespace waywiser::trace {

/// The position and extent of a block of calls.
struct CallsBlock {
    std::uint64_t before;  ///< calls of the stream before this block
    std::uint64_t events;
    std::uint64_t base_ns;    ///< end of the preceding call
    std::uint64_t latest_ns;  ///< latest end of all calls up to the block's last
    std::uint64_t at;         ///< position of the payload in the file [bytes]
    std::uint64_t bytes;
    std::uint32_t crc;
};

/// The signature of each symbol; sorted by symbol.
using Meanings = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct StoredStream {
    std::uint32_t rule = 0;
    std::uint32_t meanings = 0;
    std::vector<CallsBlock> blocks;
};

/// Converts times of one host's clock to the common clock.
class ClockCorrection {
public:
    ClockCorrection() = default;
    explicit ClockCorrection(const HostClock& clock)
        : clock_(clock), same_((clock.offset_ns == 0 && clock.drift == 0) || !credible(clock)) {}

    [[nodiscard]] std::uint64_t common(std::uint64_t ns) const {
        if (same_ || ns >= kMostTime_ns) return ns;
        const auto since = static_cast<double>(static_cast<std::int64_t>(ns - clock_.reference_ns));
        const auto moved = static_cast<std::int64_t>(ns) + clock_.offset_ns + std::llround(clock_.drift * since);
        return static_cast<std::uint64_t>(std::max<std::int64_t>(moved, 0));
    }

private:
    static constexpr double kMostDrift = 0.01;

    /// True for plausible values; any others are damage.
    static bool credible(const HostClock& clock) {
        constexpr auto kMost = static_cast<std::int64_t>(kMostTime_ns);
        return std::abs(clock.drift) < kMostDrift && clock.offset_ns > -kMost && clock.offset_ns < kMost &&
               clock.reference_ns < kMostTime_ns;
    }

    HostClock clock_;
    bool same_ = true;
};

class StoredTrace {
public:
    /// \throws InvalidInput  if the file cannot be opened or is not a trace
    explicit StoredTrace(const std::string& path);

    /// The traced job, on the clocks that were set last.
    [[nodiscard]] const TraceJob& job() const { return job_; }
    [[nodiscard]] const TraceStream& description(std::size_t stream) const { return stored_.streams[stream]; }
    [[nodiscard]] const std::vector<StoredStream>& streams() const { return streams_; }
    [[nodiscard]] const std::vector<StoredSignature>& signatures() const { return signatures_; }
    [[nodiscard]] const Rules& rules() const { return rules_; }
    [[nodiscard]] const Meanings& meanings(const StoredStream& stream) const { return meanings_[stream.meanings]; }
    [[nodiscard]] const std::vector<Meanings>& all_meanings() const { return meanings_; }
    [[nodiscard]] OwnPlaces places(std::int64_t rank) const { return {stored_, rank}; }

    /// The number of a signature that callers get.
    [[nodiscard]] std::uint32_t kind(std::uint32_t signature) const { return kinds_[signature]; }
    [[nodiscard]] std::uint32_t kinds() const { return kind_count_; }

    [[nodiscard]] ClockCorrection clock_of(std::int64_t rank) const;
    void apply_clocks(std::vector<HostClock> clocks);

    /// Records a loss. Several threads may do so concurrently.
    void lose(const std::string& loss) const {
        const std::lock_guard lock(losing_);
        job_.lost.push_back(path_ + ": " + loss);
    }

    /// \param done  number of the block's calls that were read
    void lose_calls(std::size_t stream, std::size_t block, std::uint64_t done, const std::string& why) const;

    [[nodiscard]] const SharedFile& file() const { return file_; }

private:
    void read_blocks();
    [[nodiscard]] std::string_view payload_of(ReadAhead& file, const BlockHeader& header, std::uint64_t at) const;
    void keep(const CallsBlock& block, std::uint32_t number);
    void take(TraceBlock kind, std::string_view payload);
    [[nodiscard]] bool refers(const StoredSignature& stored) const;
    void find_kinds();
    /// \param symbols  upper bound of symbols
    [[nodiscard]] Meanings decode_meanings(Decoder& in, std::uint64_t symbols) const;
    void decode_streams(Decoder& in);
    void count_what_is_left();

    std::string path_;
    SharedFile file_;
    mutable std::mutex losing_;
    TraceJob stored_;  ///< job on the clocks of the hosts
    mutable TraceJob job_;
    std::vector<StoredSignature> signatures_;
    std::vector<std::uint32_t> kinds_;  ///< kinds by signature
    std::uint32_t kind_count_ = 0;
    Rules rules_;
    std::vector<Meanings> meanings_;
    std::vector<StoredStream> streams_;
    std::vector<std::uint32_t> stream_of_number_;
};

}  // namespace waywiser::trace
