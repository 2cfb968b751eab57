/// One-sided communication: operations need the processor of their origin only, and end with the epoch.
#include <algorithm>

#include "virtual/rank.hpp"

namespace waywiser::virtual_clocks {

using trace::Epoch;

void Rank::operate(const TraceKey& key) {
    const std::shared_ptr<Companion> over = companion(key.object);
    if (over == nullptr || key.peer < 0 || key.peer >= over->size()) return;
    const machine::Messages& of_target = costs(*over, key.peer);
    machine::Charge out = of_target.charge(key.bytes);
    out.eager = true;
    double left_ns = 0;
    const Stamp stamp = send(clock_, out, key.bytes, left_ns);
    ++messages_;
    // Back come the data, or an empty message that says that they are there.
    const machine::Charge back = of_target.charge(key.posted);
    const double over_ns = stamp.arrival_ns + out.overlap_ns + back.latency_ns + back.transfer_ns;
    double& pending_ns = epochs_[key.object][key.peer];
    pending_ns = std::max(pending_ns, over_ns);
    if (key.request < 0) return;
    Request& made = request(key.request);
    made = {};
    made.over_ns = over_ns;
}

/// Waits for the operations on that target, or on all of them.
void Rank::flush(std::int32_t window, std::int32_t target) {
    std::erase_if(epochs_[window], [&](const auto& pending) {
        if (target >= 0 && pending.first != target) return false;
        clock_.wait_until(pending.second, 0);
        return true;
    });
}

void Rank::synchronise(const TraceKey& key, const Function& function, double taken_ns) {
    const std::shared_ptr<Companion> over = companion(key.object);
    if (over == nullptr) return clock_.busy(taken_ns);
    switch (function.role.epoch) {
        case Epoch::lock:
            remark("locks of windows are taken as free: what ranks waited for each other there is left out");
            if (key.peer >= 0 && key.peer < over->size()) {
                const machine::Charge asks = costs(*over, key.peer).charge(0);
                clock_.busy(asks.overhead_ns);
                clock_.wait_until(clock_.now_ns + 2 * asks.latency_ns, 0);
            }
            return;
        case Epoch::flush:
        case Epoch::unlock: return flush(key.object, key.peer);
        case Epoch::complete: flush(key.object, trace::kAny); [[fallthrough]];
        case Epoch::post:
        case Epoch::start:
        case Epoch::wait:
            remark("epochs of windows by MPI_Win_post, _start, _complete and _wait wait for no partner");
            return;
        default: break;
    }
    if (function.role.role != trace::Role::fence) return;  // MPI_Win_sync
    flush(key.object, trace::kAny);
    collective(key, function, taken_ns);
}

}  // namespace waywiser::virtual_clocks
