/// The flows that cross a link, in the link's own cache line while they are few.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace waywiser::simulate {

/// Flows on a link, each with its demand: reading a flow elsewhere would cost a memory access each. The order has no
/// meaning.
class Crossings {
public:
    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

    /// Calls `visit(flow, cap, part)` for each flow: `cap` is the limit of its rate by everything except this link, and
    /// `part` the share of the flow that crosses the link.
    template <class Visit>
    void each(Visit visit) const {
        if (is_far_ == 0) {
            for (std::size_t i = 0; i < count_; ++i) visit(flows_[i], caps_[i], 1.0);
        } else {
            for (const Crossing& crossing : far()) visit(crossing.flow, crossing.cap, crossing.part);
        }
    }

    /// The flows in the link's own cache line, or none while they are elsewhere.
    [[nodiscard]] std::span<const std::uint32_t> near() const noexcept {
        return {flows_.data(), is_far_ == 0 ? count_ : 0U};
    }

    /// Prefetches crossings that are stored elsewhere and are looked at soon.
    void expect_far() const noexcept {
        if (is_far_ == 0) return;
        __builtin_prefetch(far_.get(), 1);
        __builtin_prefetch(far_.get() + kLine, 1);
    }

    /// The demand of a flow, which must be on the link. The search starts at the latest flow, because flows do not
    /// store their positions.
    [[nodiscard]] double& cap_of(std::uint32_t flow) noexcept {
        return is_far_ == 0 ? caps_[near_place(flow)] : far_[far_place(flow)].cap;
    }

    void add(std::uint32_t flow, double cap, double part) {
        if (is_far_ == 0 && (count_ == kNear || part != 1)) go_far();
        if (is_far_ == 0) {
            flows_[count_] = flow;
            caps_[count_] = cap;
        } else {
            if (count_ == 1U << room_log_) grow();
            far_[count_] = {.cap = cap, .part = part, .flow = flow};
        }
        ++count_;
    }

    /// Removes a flow, which must be on the link.
    void remove(std::uint32_t flow) {
        if (is_far_ == 0) {
            const std::size_t place = near_place(flow);
            --count_;
            flows_[place] = flows_[count_];
            caps_[place] = caps_[count_];
        } else {
            const std::size_t place = far_place(flow);
            --count_;
            far_[place] = far_[count_];
            if (count_ < kNear) come_near();
        }
    }

private:
    struct Crossing {
        double cap = 0;
        double part = 1;
        std::uint32_t flow = 0;
    };

    static constexpr std::size_t kNear = 3;
    static constexpr std::uint32_t kFirstRoomLog = 3;
    static constexpr std::size_t kLine = 64 / sizeof(Crossing);

    [[nodiscard]] std::span<const Crossing> far() const noexcept { return {far_.get(), count_}; }
    [[nodiscard]] std::size_t near_place(std::uint32_t flow) const noexcept {
        std::size_t place = count_ - 1U;
        while (flows_[place] != flow) --place;
        return place;
    }
    [[nodiscard]] std::size_t far_place(std::uint32_t flow) const noexcept {
        std::size_t place = count_ - 1U;
        while (far_[place].flow != flow) --place;
        return place;
    }

    void grow() {
        const std::uint32_t log = far_ ? room_log_ + 1U : kFirstRoomLog;
        auto larger = std::make_unique<Crossing[]>(std::size_t{1} << log);  // NOLINT(modernize-avoid-c-arrays)
        if (is_far_ != 0) std::ranges::copy(far(), larger.get());
        far_ = std::move(larger);
        room_log_ = log & 31U;
    }

    void go_far() {
        if (!far_) grow();
        for (std::size_t i = 0; i < count_; ++i) far_[i] = {.cap = caps_[i], .part = 1, .flow = flows_[i]};
        is_far_ = 1;
    }

    /// Moves the flows into the link's own cache line, unless flows are split.
    void come_near() {
        if (std::ranges::any_of(far(), [](const Crossing& crossing) { return crossing.part != 1; })) return;
        for (std::size_t i = 0; i < count_; ++i) {
            flows_[i] = far_[i].flow;
            caps_[i] = far_[i].cap;
        }
        is_far_ = 0;
    }

    std::uint32_t count_ : 26 = 0;
    std::uint32_t room_log_ : 5 = 0;
    std::uint32_t is_far_ : 1 = 0;
    std::array<std::uint32_t, kNear> flows_ = {};
    std::array<double, kNear> caps_ = {};
    std::unique_ptr<Crossing[]> far_;  // NOLINT(modernize-avoid-c-arrays): while there are more, or split ones
};

}  // namespace waywiser::simulate
