/// One-sided communication: operations need the processor of their origin only, and end with the epoch.
#include <algorithm>
#include <utility>

#include "virtual/rank.hpp"

namespace waywiser::virtual_clocks {

using trace::Epoch;

namespace {

/// Tags that no message of the program has: of what ranks tell each other of a window's epochs.
std::int32_t posted_tag(const Window& window) { return -2 * window.number - 10; }
std::int32_t completed_tag(const Window& window) { return posted_tag(window) - 1; }

constexpr std::int64_t kExclusive = 1;  ///< TraceKey::detail of a lock

}  // namespace

void Rank::make_window(const TraceKey& key) {
    const std::shared_ptr<Companion> over = companion(key.object);
    if (over == nullptr) return;
    companions_[key.created] = over;
    Window& made = windows_[key.created] = {};
    made.over = over;
    made.number = over->number_window();
}

void Rank::operate(const TraceKey& key) {
    const std::shared_ptr<Companion> over = companion(key.object);
    if (over == nullptr || key.peer < 0 || key.peer >= over->size()) return;
    const machine::Messages& of_target = costs(*over, key.peer);
    const machine::Charge out = of_target.charge(key.bytes, machine::Protocol::eager);
    double left_ns = 0;
    const Stamp stamp = send(clock_, out, key.bytes, left_ns);
    ++messages_;
    // Back come the data, or an empty message that says that they are there.
    const machine::Charge back = of_target.charge(key.posted, machine::Protocol::eager);
    const double over_ns = stamp.arrival_ns + out.overlap_ns + back.latency_ns + back.transfer_ns;
    double& pending_ns = windows_[key.object].pending[key.peer];
    pending_ns = std::max(pending_ns, over_ns);
    if (key.request < 0) return;
    Request& made = request(key.request);
    made = {};
    made.over_ns = over_ns;
}

/// Waits for the operations on that target, or on all of them.
void Rank::flush(Window& window, std::int32_t target) {
    std::erase_if(window.pending, [&](const auto& pending) {
        if (target >= 0 && pending.first != target) return false;
        clock_.wait_until(pending.second, 0);
        return true;
    });
}

void Rank::tell(const Window& window, const std::vector<std::int64_t>& members, std::int32_t tag) {
    for (const std::int64_t member : members) {
        const auto to = static_cast<int>(member);
        double left_ns = 0;
        Stamp stamp = send(clock_, costs(*window.over, to).charge(0, machine::Protocol::eager), 0, left_ns);
        stamp.tag = tag;
        window.over->send(to, Companion::Kind::message, stamp);
        ++messages_;
    }
}

/// To wait for partners in the call that begins or ends an epoch is to wait where MPI may, too (MPI-4.1,
/// section 12.5.2).
void Rank::hear(const Window& window, const std::vector<std::int64_t>& members, std::int32_t tag) {
    const double posted_ns = clock_.now_ns;
    for (const std::int64_t member : members) {
        const auto from = static_cast<int>(member);
        const machine::Charge charge = costs(*window.over, from).charge(0, machine::Protocol::eager);
        receive(clock_, charge, window.over->take(from, tag), posted_ns);
    }
}

void Rank::synchronise(const TraceKey& key, const Function& function, double taken_ns) {
    const auto found = windows_.find(key.object);
    if (found == windows_.end()) {
        static_cast<void>(companion(key.object));  // says so
        return clock_.busy(taken_ns);
    }
    Window& window = found->second;
    switch (function.role.epoch) {
        case Epoch::post: window.origins = list(key.counts); return tell(window, window.origins, posted_tag(window));
        case Epoch::start: window.targets = list(key.counts); return hear(window, window.targets, posted_tag(window));
        case Epoch::complete:
            flush(window, trace::kAny);
            return tell(window, std::exchange(window.targets, {}), completed_tag(window));
        case Epoch::wait: return hear(window, std::exchange(window.origins, {}), completed_tag(window));
        case Epoch::lock: {
            if (key.detail == kExclusive)
                remark(
                    "exclusive locks of windows are taken as free: what ranks waited for each other there is left out");
            if (key.peer < 0 || key.peer >= window.over->size()) return;
            const machine::Charge asks = costs(*window.over, key.peer).charge(0, machine::Protocol::eager);
            clock_.busy(asks.overhead_ns);
            return clock_.wait_until(clock_.now_ns + 2 * asks.latency_ns, 0);
        }
        case Epoch::flush:
        case Epoch::unlock: return flush(window, key.peer);
        default: break;
    }
    if (function.role.role != trace::Role::fence) return;  // MPI_Win_sync
    flush(window, trace::kAny);
    collective(key, function, taken_ns);
}

}  // namespace waywiser::virtual_clocks
