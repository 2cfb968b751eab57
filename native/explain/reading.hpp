/// The reading position of each rank, and the rank to read next.
///
/// Each rank's calls are read in their order, and a call ends only once the calls of others that it waited for have
/// been read. Like a network of processes that block on their inputs, this needs no event queue (Kahn: The semantics of
/// a simple language for parallel programming, IFIP 1974).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "explain/stream.hpp"

namespace waywiser::explain {

struct Rank {
    std::int64_t rank = 0;
    std::uint32_t host = 0;
    std::vector<std::uint32_t> streams;
    bool finished = false;
};

class Reading {
public:
    /// \param histories  histories of the streams
    Reading(const trace::TraceFile& trace, std::vector<History>& histories);

    [[nodiscard]] Stream& stream(std::uint32_t number) { return streams_[number]; }
    [[nodiscard]] const Stream& stream(std::uint32_t number) const { return streams_[number]; }
    [[nodiscard]] std::vector<Stream>& streams() { return streams_; }
    [[nodiscard]] const Rank& rank(std::uint32_t number) const { return ranks_[number]; }
    [[nodiscard]] const Rank& rank_of(std::uint32_t stream) const { return ranks_[streams_[stream].rank]; }
    [[nodiscard]] std::size_t ranks() const { return ranks_.size(); }

    /// The start of the first stream.
    [[nodiscard]] std::uint64_t origin_ns() const { return origin_ns_; }
    /// Calls that have been read.
    [[nodiscard]] std::uint64_t calls() const { return calls_; }

    /// Reads the stream's next call. \return true if this was the rank's last call
    bool read_next(Stream& stream) {
        stream.read_next();
        if (!stream.finished) ++calls_;
        return stream.finished && finish(ranks_[stream.rank]);
    }

    /// The stream of the rank's next step.
    [[nodiscard]] Stream& earliest_of(const Rank& rank);

    /// Time before which everything that the rank posts has been read.
    [[nodiscard]] std::uint64_t up_to_ns(const Rank& rank) const;
    /// Time before which everything that other ranks post has been read; computed when `look_again` was last called.
    [[nodiscard]] std::uint64_t by_others_up_to_ns(std::uint32_t rank);
    void look_again() { slowest_.reset(); }

    /// Makes all ranks that have not finished runnable.
    void start_round();
    /// \return a rank that can continue; none if no rank is runnable
    [[nodiscard]] std::optional<std::uint32_t> next_rank() {
        if (runnable_.empty()) return std::nullopt;
        const std::uint32_t rank = runnable_.back();
        runnable_.pop_back();
        return rank;
    }
    /// Called when one of the stream's needs is met.
    void wake(Stream& stream) {
        if (--stream.missing > 0) return;
        stream.parked = false;
        runnable_.push_back(stream.rank);
    }

    /// The time of the next step of runnable ranks; none if no rank is runnable.
    [[nodiscard]] std::optional<std::uint64_t> next_ns();
    /// The parked stream whose call ends first; null if no stream is parked.
    [[nodiscard]] Stream* earliest_parked();
    /// The earliest start of a current call.
    [[nodiscard]] std::uint64_t oldest_call_ns() const;

private:
    /// The time up to which a rank has been read.
    struct Reader {
        std::uint64_t up_to_ns;
        std::uint32_t rank;
    };

    bool finish(Rank& rank);

    std::uint64_t origin_ns_;
    std::vector<Stream> streams_;
    std::vector<Rank> ranks_;
    std::vector<std::uint32_t> runnable_;
    std::uint64_t calls_ = 0;
    std::optional<std::array<Reader, 2>> slowest_;  ///< the two ranks that have been read least far
};

}  // namespace waywiser::explain
