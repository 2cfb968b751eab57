/// Origins of waiting: the excess of the late rank over the rank that waits for it.
///
/// Source: Böhme, Geimer, Wolf, Arnold: Identifying the root causes of wait states in large-scale
/// parallel applications, ICPP 2010. docs/design/011-traces.md says how it is done in one pass forward.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/flat_map.hpp"
#include "explain/history.hpp"
#include "explain/waits.hpp"

namespace waywiser::explain {

/// One wait: the latest call of `stream` waited until `awaited` began its call number `call`.
struct WaitedFor {
    Wait wait;
    std::uint32_t stream;
    std::uint32_t awaited;
    std::uint64_t call;      ///< of `awaited`, in its history
    std::uint64_t since_ns;  ///< when both were synchronised last
    std::uint64_t ns;
    bool counted;  ///< else only its origins are kept, for waits to come
};

class Delays {
public:
    /// \param ranks  of the streams
    Delays(std::vector<History>& histories, const Stretches& stretches, std::vector<std::int64_t> ranks)
        : histories_(histories), stretches_(stretches), ranks_(std::move(ranks)) {}

    /// Finds where the wait arose and counts it there; the latest segment of the stream gets the shares.
    void add(const WaitedFor& waited);

    /// Largest first.
    [[nodiscard]] std::vector<Cause> causes() const;

private:
    struct Origin {
        std::int64_t rank;
        std::uint32_t stretch;
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

    std::uint32_t origin(std::int64_t rank, std::uint32_t stretch);
    template <int sign>
    void add_excess(std::uint32_t stream, std::uint64_t call, std::uint64_t since_ns);
    void count(const WaitedFor& waited, const Share& share);

    std::vector<History>& histories_;
    const Stretches& stretches_;
    std::vector<std::int64_t> ranks_;
    FlatMap<std::uint32_t> origin_numbers_;  ///< plus 1
    std::vector<Origin> origins_;
    std::vector<FlatMap<std::uint32_t>> cause_numbers_;  ///< by origin, then by wait and place; plus 1
    std::vector<Counted> causes_;

    /// Excess of the late rank in the wait at hand, by stretches and by origins of its own waits.
    class Excess {
    public:
        /// Makes room for numbers below `numbers`.
        void fit(std::size_t numbers) {
            if (numbers < sums_.size()) return;
            sums_.resize(2 * numbers + 1);
            touched_.resize(sums_.size() + 1);
            end_ = touched_.data();
        }

        /// Adding 0 does not touch the number.
        void add(std::uint32_t number, std::int64_t more) {
            if (more == 0) return;
            Sum& sum = sums_[number];
            *end_ = number;
            end_ += sum.touched ? 0 : 1;
            sum.touched = true;
            sum.ns += more;
        }

        /// Calls `f(number, ns)` for each that was touched, in the order of that, and forgets it.
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
    Excess stretches_excess_;
    Excess origins_excess_;
};

}  // namespace waywiser::explain
