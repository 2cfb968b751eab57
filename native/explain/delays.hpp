/// Origins of waiting: the excess of the late rank over the rank that waits for it.
///
/// Source: Böhme, Geimer, Wolf, Arnold: Identifying the root causes of wait states in large-scale parallel
/// applications, ICPP 2010. docs/design/011-traces.md describes the single forward pass.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/flat_map.hpp"
#include "explain/history.hpp"
#include "explain/waits.hpp"

namespace waywiser::explain {

/// One wait: the latest call of `stream` waited until `awaited` started its call number `call`.
struct WaitedFor {
    Wait wait;
    std::uint32_t stream;
    std::uint32_t awaited;
    std::uint64_t call;      ///< number in the history of `awaited`
    std::uint64_t since_ns;  ///< time of the last synchronisation of both
    std::uint64_t ns;
    bool counted;  ///< false: only the origins are kept, for later waits
};

class Delays {
public:
    /// \param ranks  rank of each stream
    Delays(std::vector<History>& histories, const Intervals& intervals, std::vector<std::int64_t> ranks)
        : histories_(histories), intervals_(intervals), ranks_(std::move(ranks)) {}

    /// Finds the origins of a wait and adds it to them; the stream's latest segment gets the shares.
    void add(const WaitedFor& waited);

    /// The causes, largest first.
    [[nodiscard]] std::vector<Cause> causes() const;

private:
    struct Origin {
        std::int64_t rank;
        std::uint32_t interval;
    };
    /// The ranks that waited most; exact for as many ranks as it holds (Misra, Gries: Finding repeated
    /// elements, Science of Computer Programming 1982).
    struct Waiting {
        static constexpr std::size_t kMost = 8;
        std::array<std::pair<std::int64_t, std::uint64_t>, kMost> rank = {};

        void add(std::int64_t waiting, std::uint64_t ns);
        [[nodiscard]] std::int64_t most() const;
    };
    struct Counted {
        Wait wait;
        std::uint32_t place;
        std::uint32_t origin;
        std::uint64_t ns = 0;
        std::uint64_t calls = 0;
        std::uint64_t direct_ns = 0;
        Waiting waiting;
    };

    std::uint32_t origin(std::int64_t rank, std::uint32_t interval);
    template <int sign>
    void add_excess(std::uint32_t stream, std::uint64_t call, std::uint64_t since_ns);
    void count(const WaitedFor& waited, const Share& share);

    std::vector<History>& histories_;
    const Intervals& intervals_;
    std::vector<std::int64_t> ranks_;
    FlatMap<std::uint32_t> origin_numbers_;  ///< numbers plus 1
    std::vector<Origin> origins_;
    std::vector<FlatMap<std::uint32_t>> cause_numbers_;  ///< by origin, then by wait and place; numbers plus 1
    std::vector<Counted> causes_;

    /// Excess of the late rank in the current wait, by kind of interval and by origin of its own waits.
    class Excess {
    public:
        /// Enlarges the tables for numbers below `numbers`.
        void fit(std::size_t numbers) {
            if (numbers < sums_.size()) return;
            sums_.resize(2 * numbers + 1);
            touched_.resize(sums_.size() + 1);
            end_ = touched_.data();
        }

        /// Adds to a number's excess; adding 0 does not mark the number as touched.
        void add(std::uint32_t number, std::int64_t more) {
            if (more == 0) return;
            Sum& sum = sums_[number];
            *end_ = number;
            end_ += sum.touched ? 0 : 1;
            sum.touched = true;
            sum.ns += more;
        }

        /// Calls `f(number, ns)` for each touched number, in the order of touching, and resets it.
        template <class F>
        void take(F&& f) {
            for (const std::uint32_t* at = touched_.data(); at != end_; ++at) f(*at, std::exchange(sums_[*at], {}).ns);
            end_ = touched_.data();
        }

    private:
        struct Sum {
            std::int64_t ns = 0;
            bool touched = false;
        };
        std::vector<Sum> sums_;
        std::vector<std::uint32_t> touched_;
        std::uint32_t* end_ = nullptr;  ///< end of the used part of `touched_`
    };
    Excess interval_excess_;
    Excess origins_excess_;
};

}  // namespace waywiser::explain
