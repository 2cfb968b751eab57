/// The flows that cross a link, in the link's own cache line while they are few.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace waywiser::simulate {

/// A flow on a link, which is one of its route.
struct Crossing {
    std::uint32_t flow = 0;
    std::uint32_t hop = 0;
};

/// In no order that means anything.
class Crossings {
public:
    [[nodiscard]] std::span<const Crossing> all() const noexcept {
        return {far_ ? far_->data() : near_.data(), count_};
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

    /// The flow is there. It is looked for: a link knows where its flows are, flows do not, whose lines are far away.
    void remove(std::uint32_t flow) {
        const std::span<Crossing> those{far_ ? far_->data() : near_.data(), count_};
        *std::ranges::find(those, flow, &Crossing::flow) = those.back();
        --count_;
        if (far_) far_->pop_back();
    }

private:
    using Far = std::vector<Crossing>;

    std::uint32_t count_ = 0;
    std::array<Crossing, 4> near_ = {};
    std::unique_ptr<Far> far_;  ///< once there were more
};

}  // namespace waywiser::simulate
