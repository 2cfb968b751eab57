/// Where waiting comes from: the excess of the rank that is late over the one that waits for it.
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
    void add_excess(std::uint32_t stream, std::uint64_t call, std::uint64_t since_ns, bool late);
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
        /// Numbers are less than that.
        void fit(std::size_t numbers) {
            if (numbers < sums_.size()) return;
            sums_.resize(2 * numbers + 1);
            touched_.resize(sums_.size() + 1);
        }

        void add(std::uint32_t number, std::int64_t more) {
            Sum& sum = sums_[number];
            touched_[touches_] = number;
            touches_ += sum.touched ? 0 : 1;
            sum.touched = true;
            sum.ns += more;
        }

        /// Calls `f(number, ns)` for each that was touched, in the order of that, and forgets it.
        template <class F>
        void take(F&& f) {
            for (std::size_t i = 0; i < touches_; ++i) f(touched_[i], std::exchange(sums_[touched_[i]], {}).ns);
            touches_ = 0;
        }

    private:
        struct Sum {
            std::int64_t ns = 0;
            bool touched = false;
        };
        std::vector<Sum> sums_;
        std::vector<std::uint32_t> touched_;
        std::size_t touches_ = 0;
    };
    Excess stretches_excess_;
    Excess origins_excess_;
};

}  // namespace waywiser::explain
