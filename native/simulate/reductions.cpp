/// Collectives that switches execute. Each rank sends its data into the tree of switches. The switches pass what they
/// have reduced up to the tree's top, and the result from there down to all ranks.
///
/// A rank's part occupies the sender's processor and NIC as long as an eager message of its size. On long vectors,
/// switches reduce about as fast as messages travel (R. Graham et al., "Scalable Hierarchical Aggregation and Reduction
/// Protocol (SHARP) streaming-aggregation hardware design and evaluation", ISC High Performance 2020,
/// doi:10.1007/978-3-030-50743-5_3). The top is half way between two nodes: a part arrives after L / 2, and the result,
/// which follows byte by byte, takes another L / 2. So all ranks have it 2 o + L + G s after the last arrival. Switches
/// add no latency of their own, since it is not published.
#include <algorithm>
#include <utility>

#include "simulate/collective_replayer.hpp"

namespace waywiser::simulate {

/// Sets up the player's part; the player then needs the result.
void CollectiveReplayer::reduce(Actor& actor, const Group& group) {
    const auto place = static_cast<std::size_t>(group.place(actor.rank));
    const std::uint32_t number = reductions_.join(group, actor.part->context, place);
    const std::uint64_t bytes = actor.part->bytes;
    Charge costs = common_.settings.between.charge(bytes, machine::Protocol::eager);
    costs.latency_ns /= 2;
    const double overlap_ns = std::exchange(costs.overlap_ns, 0);  // Switches do not copy.
    const double begin_ns = actor.now.ns();
    const Timestamp there = messages_.inject(actor, costs, kNothing, bytes);
    costs.overlap_ns = overlap_ns;
    Reduction& reduction = reductions_[number];
    reduction.charge = costs;
    if (there.ns() >= reduction.complete.ns()) {
        reduction.complete = there;
        reduction.last_begin_ns = begin_ns;
    }
    actor.need({Need::Kind::reduction, number, static_cast<std::uint32_t>(place)});
    if (reduction.missing > 0) return;
    for (std::uint32_t& waiter : reduction.waiters) schedule_.wake(waiter);
}

/// The first collective of a context that the member has not joined. All members make a context's collectives in the
/// same order.
std::uint32_t Reductions::join(const Group& group, std::uint32_t context, std::size_t place) {
    const auto members = static_cast<std::size_t>(group.size());
    std::vector<std::uint32_t>& open = open_[context];
    const auto next = std::ranges::find_if(open, [&](std::uint32_t number) {
        const std::vector<bool>& came = reductions_[number].came;
        return came.size() == members && !came[place];  // A damaged trace may have two groups with one context.
    });
    const std::uint32_t number = next != open.end() ? *next : open.emplace_back(make(group));
    Reduction& joined = reductions_[number];
    joined.came[place] = true;
    if (--joined.missing == 0) std::erase(open, number);
    return number;
}

/// Makes a reduction that does not wait for members whose calls are not in the trace.
std::uint32_t Reductions::make(const Group& group) {
    const std::uint32_t number = reductions_.acquire();
    Reduction& new_reduction = reductions_[number] = {};
    new_reduction.group = &group;
    for (int member = 0; member < group.size(); ++member)
        new_reduction.came.push_back(group.index(member) == Group::kUnknown);
    new_reduction.missing = new_reduction.inside = static_cast<int>(std::ranges::count(new_reduction.came, false));
    new_reduction.waiters.assign(new_reduction.came.size(), kNothing);
    return number;
}

std::uint32_t* CollectiveReplayer::what_wakes(const Need& result) {
    Reduction& reduction = reductions_[result.index()];
    return reduction.missing == 0 ? nullptr : &reduction.waiters[result.number()];
}

/// Called when all members have arrived: the result is on its way down.
void CollectiveReplayer::take_result(Actor& actor, const Need& result) {
    const Reduction& reduction = reductions_[result.index()];
    const Charge& costs = reduction.charge;
    Timestamp available = after_latency(reduction.complete, costs.latency_ns);
    double delay_ns = -costs.overlap_ns;
    if (common_.settings.share_nic) {
        const double first_byte_ns = available.ns() - costs.transfer_ns;
        delay_ns += messages_.come_in(actor.rank, first_byte_ns, costs.gap_ns + costs.transfer_ns) - first_byte_ns;
    }
    available.add_transfer(delay_ns);
    actor.wait_until(available, reduction.last_begin_ns);
    actor.busy(costs.busy_ns);
    reductions_.leave(result.index());
}

std::optional<std::uint32_t> CollectiveReplayer::partner_of(const Need& result) {
    const Reduction& reduction = reductions_[result.index()];
    const auto absent = std::ranges::find(reduction.came, false) - reduction.came.begin();
    const std::int32_t index = reduction.group->index(static_cast<std::int32_t>(absent));
    return index == Group::kUnknown ? std::nullopt : std::optional(static_cast<std::uint32_t>(index));
}

}  // namespace waywiser::simulate
