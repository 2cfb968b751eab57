#include "explain/collective_order.hpp"

#include <algorithm>
#include <utility>

namespace waywiser::explain {

void Group::open_up_to(std::uint64_t number) {
    while (number - first_ >= meetings_.size()) {
        std::vector<Meeting> more(std::max<std::size_t>(2, 2 * meetings_.size()));
        for (std::uint64_t i = first_; i < first_ + open_; ++i) more[i & (more.size() - 1)] = std::move(at(i));
        meetings_ = std::move(more);
    }
    for (; number - first_ >= open_; ++open_) at(first_ + open_).renew();
}

/// Stores the arrival if others may wait for it.
void Group::admit(Meeting& meeting, const Part& part, const Arrival& arrival, CriticalPaths& paths) {
    const auto replace = [&](Arrival& kept) {
        paths.drop(kept.point);
        kept = arrival;
        kept.point = paths.here(arrival.stream);
    };
    Arrival& awaited = meeting.awaited;
    const bool none = awaited.stream == Arrival::kNoStream;
    switch (meeting.role) {
        case Role::none: break;
        case Role::from_root:
            if (part.root) replace(awaited);
            break;
        case Role::to_root:
            if (part.root || part.bystander) break;
            if (none || arrival.begin_ns < awaited.begin_ns) replace(awaited);
            if (none || arrival.begin_ns > meeting.last.begin_ns) replace(meeting.last);
            break;
        case Role::scan:
            if (meeting.members.empty()) meeting.members.resize(size_);
            if (part.member < size_) replace(meeting.members[part.member]);
            while (meeting.before < size_ && meeting.members[meeting.before].stream != Arrival::kNoStream) {
                ++meeting.before;
            }
            break;
        default:
            if (none || arrival.begin_ns > awaited.begin_ns) replace(awaited);
    }
}

std::span<const std::uint32_t> Group::arrive(std::uint64_t number, const Part& part, std::uint32_t stream,
                                             std::uint64_t begin_ns, std::uint64_t call, CriticalPaths& paths) {
    released_.clear();
    if (number < first_ || number >= limit_) return {};
    if (number - first_ >= open_) open_up_to(number);
    Meeting& meeting = at(number);
    if (meeting.arrivals++ == 0) meeting.role = part.role;
    // If calls are missing from the trace, the same number denotes a different call on other ranks.
    if (meeting.role != part.role) meeting.broken = true;
    admit(meeting, part, {.stream = stream, .begin_ns = begin_ns, .call = call}, paths);
    const bool all = meeting.broken || meeting.arrivals == size_;
    if (all || (meeting.role == Role::from_root && part.root) || meeting.role == Role::scan) {
        std::swap(released_, meeting.parked);
    }
    return released_;
}

bool Group::lacks(const Meeting& meeting, const Part& part) const {
    if (meeting.broken || meeting.arrivals >= size_) return false;
    switch (part.role) {
        case Role::none: return false;
        case Role::from_root: return !part.root && !part.bystander && meeting.awaited.stream == Arrival::kNoStream;
        case Role::to_root: return part.root;
        case Role::scan: return meeting.before < part.member;
        default: return true;
    }
}

bool Group::lacks(std::uint64_t number, const Part& part) {
    const Meeting* known = meeting(number);
    return known != nullptr && number < limit_ && lacks(*known, part);
}

const Arrival* Group::awaited(std::uint64_t number, const Part& part) {
    const Meeting* known = meeting(number);
    if (known == nullptr || known->broken || known->role != part.role || part.bystander) return nullptr;
    if (part.role == Role::scan) {
        const auto before = std::span(known->members).first(std::min<std::size_t>(part.member, known->members.size()));
        const auto last = std::ranges::max_element(before, {}, &Arrival::begin_ns);
        return last == before.end() || last->stream == Arrival::kNoStream ? nullptr : &*last;
    }
    const bool taker = part.role == Role::from_root ? !part.root : part.role != Role::to_root || part.root;
    return taker && known->awaited.stream != Arrival::kNoStream ? &known->awaited : nullptr;
}

const Arrival* Group::last_awaited(std::uint64_t number, const Part& part) {
    return part.role == Role::to_root && awaited(number, part) != nullptr ? &meeting(number)->last : nullptr;
}

void Group::leave(std::uint64_t number, CriticalPaths& paths) {
    Meeting* left = meeting(number);
    if (left == nullptr) return;
    ++left->done;
    while (open_ > 0) {
        Meeting& oldest = at(first_);
        const bool complete = oldest.arrivals == size_ || oldest.broken || first_ >= limit_;
        if (!complete || oldest.arrivals == 0 || oldest.done < oldest.arrivals) break;
        paths.drop(oldest.awaited.point);
        paths.drop(oldest.last.point);
        for (Arrival& member : oldest.members) paths.drop(member.point);
        --open_;
        ++first_;
    }
}

std::vector<std::uint32_t> Group::ends_after(std::uint64_t meetings) {
    std::vector<std::uint32_t> released;
    limit_ = std::min(limit_, meetings);
    for (std::uint64_t number = std::max(first_, limit_); number < first_ + open_; ++number) {
        Meeting& meeting = at(number);
        meeting.broken = true;
        released.insert(released.end(), meeting.parked.begin(), meeting.parked.end());
        meeting.parked.clear();
    }
    return released;
}

}  // namespace waywiser::explain
