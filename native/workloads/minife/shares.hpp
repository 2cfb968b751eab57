/// The work of a rank divided among its threads: segments of nodes, slabs of a box, parts of an array.
///
/// A thread always has the same part, so that memory that it touched first lies near it.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/common/streams.hpp"
#include "workloads/common/threads.hpp"
#include "workloads/minife/layout.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace waywiser::minife {

/// Segments in order, with about equally many nodes per thread.
class Shares {
public:
    Shares() = default;
    explicit Shares(std::span<const Segment> segments);

    /// The nodes of these shares in the same parts; segments that are adjacent in a field are joined. They are used by
    /// loops over vectors.
    [[nodiscard]] Shares joined() const;

    /// Number of parts: one per thread, or fewer if a rank has few nodes. Parts may be empty, except the first one.
    [[nodiscard]] std::size_t parts() const { return parts_.size(); }
    [[nodiscard]] std::span<const Segment> part(std::size_t k) const { return parts_[k]; }

    /// Calls `body(k)` for all parts, on all threads at once.
    template <typename Body>
    void for_each_part(Body body) const {
        const std::size_t count = parts();
#pragma omp parallel for schedule(static, 1) if (count > 1)
        for (std::size_t k = 0; k < count; ++k) body(k);
    }

    /// Calls `visit(segment)` for all segments.
    template <typename Visit>
    void for_each(Visit visit) const {
        for_each_part([&](std::size_t k) {
            for (const Segment& segment : parts_[k]) visit(segment);
        });
    }

    /// Sums `body(k)` in the order of the parts, so that runs with equally many threads have the same sum.
    template <typename Body>
    auto sum_parts(Body body) const {
        using Sum = decltype(body(std::size_t{}));
        std::vector<Sum> partial(parts());
        for_each_part([&](std::size_t k) { partial[k] = body(k); });
        Sum total{};
        for (const Sum& part_sum : partial) total += part_sum;
        return total;
    }

    /// Sums `term(segment)` over all segments.
    template <typename Term>
    auto sum(Term term) const {
        return sum_parts([&](std::size_t k) {
            decltype(term(Segment{})) total{};
            for (const Segment& segment : parts_[k]) total += term(segment);
            return total;
        });
    }

private:
    std::vector<std::vector<Segment>> parts_;
};

/// A box cut into whole planes, one slab for each thread, or fewer.
[[nodiscard]] std::vector<Box> slabs(const Box& box);

/// Calls `work(slab)` for all slabs of a box, on all threads at once.
template <typename Work>
void for_each_slab(const Box& box, Work work) {
    const std::vector<Box> all = slabs(box);
#pragma omp parallel for schedule(static, 1) if (all.size() > 1)
    for (std::size_t k = 0; k < all.size(); ++k) work(all[k]);
}

/// Sums the results of `work(slab)` in the order of the slabs.
template <typename Work>
auto sum_over_slabs(const Box& box, Work work) {
    const std::vector<Box> all = slabs(box);
    std::vector<decltype(work(box))> partial(all.size());
#pragma omp parallel for schedule(static, 1) if (all.size() > 1)
    for (std::size_t k = 0; k < all.size(); ++k) partial[k] = work(all[k]);
    decltype(work(box)) total{};
    for (const auto& part_sum : partial) total += part_sum;
    return total;
}

/// Makes the system provide the pages of an array, each thread touching its own part.
template <typename T>
void touch_by_threads(Array<T>& array) {
#pragma omp parallel
    array.touch_pages(thread_number(), team_size());
}

template <typename T>
void fill_by_threads(Array<T>& array, T value) {
#pragma omp parallel
    {
        const Share mine = share_of(static_cast<Index>(array.size()), thread_number(), team_size());
        std::fill(array.data() + mine.begin, array.data() + mine.end, value);
    }
}

/// A line of scratch memory for each thread.
template <typename Real>
class ThreadLines {
public:
    explicit ThreadLines(Index length) {
        for (int k = 0; k < thread_limit(); ++k) lines_.emplace_back(static_cast<std::size_t>(length));
    }
    /// The line of the calling thread.
    [[nodiscard]] Real* mine() { return lines_[static_cast<std::size_t>(thread_number())].data(); }

private:
    std::vector<Array<Real>> lines_;
};

}  // namespace waywiser::minife
