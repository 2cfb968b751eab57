/// The flows that cross a link, in the link's own cache lines while they are few.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace waywiser::simulate {

/// A flow on a link, which is one of its route, with what it asks of the link: to look at flows is to look at as many
/// places in memory.
struct Crossing {
    double cap = 0;  ///< of its rate, by all that is not this link
    std::uint32_t flow = 0;
    std::uint32_t hop = 0;
};

/// In no order that means anything.
class Crossings {
public:
    [[nodiscard]] std::span<const Crossing> all() const noexcept { return {begin(), count_}; }

    /// Those in the link's own cache lines, or none once they are elsewhere.
    [[nodiscard]] std::span<const Crossing> near() const noexcept { return {near_.data(), far_ ? 0 : count_}; }

    /// The flow is there. It is looked for, from those on that have come last: a link knows where its flows are, flows
    /// do not.
    [[nodiscard]] Crossing& of(std::uint32_t flow) noexcept {
        Crossing* found = begin() + count_ - 1;
        while (found->flow != flow) --found;
        return *found;
    }

    void add(Crossing crossing) {
        if (!far_ && count_ == near_.size()) far_ = std::make_unique<Far>(near_.begin(), near_.end());
        if (far_) {
            far_->push_back(crossing);
        } else {
            near_[count_] = crossing;
        }
        ++count_;
    }

    /// The flow is there.
    void remove(std::uint32_t flow) {
        of(flow) = all().back();
        --count_;
        if (far_) far_->pop_back();
    }

private:
    using Far = std::vector<Crossing>;

    [[nodiscard]] const Crossing* begin() const noexcept { return far_ ? far_->data() : near_.data(); }
    [[nodiscard]] Crossing* begin() noexcept { return far_ ? far_->data() : near_.data(); }

    std::uint32_t count_ = 0;
    std::unique_ptr<Far> far_;  ///< once there were more
    std::array<Crossing, 6> near_ = {};
};

}  // namespace waywiser::simulate
