#include "virtual/locks.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include "mpi/windows.hpp"

namespace waywiser::virtual_clocks {
namespace {

using Kind = LockEvent::Kind;
using Lock = mpi::WindowLock<double>;  ///< a request is identified by its arrival time [ns]

/// All events of locks in the order of time. A rank that waits for a lock has no next event until it gets the lock. A
/// rank that gets a message has none until the sender's delay is known.
class Locks {
public:
    explicit Locks(const std::vector<std::vector<LockEvent>>& of_ranks)
        : of_ranks_(of_ranks), late_ns_(of_ranks.size(), {0.0}), listeners_(of_ranks.size()) {
        for (std::size_t rank = 0; rank < of_ranks_.size(); ++rank) ready_.push_back(rank);
        go_on();
    }

    [[nodiscard]] std::vector<double> run() {
        while (!queue_.empty()) {
            const auto [now_ns, rank] = queue_.top();
            queue_.pop();
            happen(next(rank), rank, now_ns);
            go_on();
        }
        std::vector<double> delays;
        delays.reserve(late_ns_.size());
        for (const std::vector<double>& late_ns : late_ns_) delays.push_back(late_ns.back());
        return delays;
    }

private:
    [[nodiscard]] const LockEvent& next(std::size_t rank) const { return of_ranks_[rank][late_ns_[rank].size() - 1]; }

    /// Records that the rank's next event is complete.
    void pass(std::size_t rank, double late_ns) {
        late_ns_[rank].push_back(late_ns);
        ready_.push_back(rank);
        ready_.insert(ready_.end(), listeners_[rank].begin(), listeners_[rank].end());
        listeners_[rank].clear();
    }

    void go_on() {
        while (!ready_.empty()) {
            const std::size_t rank = ready_.back();
            ready_.pop_back();
            if (late_ns_[rank].size() > of_ranks_[rank].size()) continue;
            const LockEvent& event = next(rank);
            if (event.kind == Kind::receive) {
                hear(event, rank);
            } else {
                queue_.emplace(event.there_ns + late_ns_[rank].back(), rank);
            }
        }
    }

    void hear(const LockEvent& event, std::size_t rank) {
        const auto sender = static_cast<std::size_t>(event.peer);
        const auto before = static_cast<std::size_t>(event.number);
        if (late_ns_[sender].size() <= before) return listeners_[sender].push_back(rank);
        const double goes_on_ns =
            std::max(event.there_ns + late_ns_[rank].back(), event.came_ns + late_ns_[sender][before]);
        pass(rank, goes_on_ns - std::max(event.there_ns, event.came_ns));
    }

    void happen(const LockEvent& event, std::size_t rank, double now_ns) {
        Lock& lock = locks_[{event.number, event.peer}];
        const auto number = static_cast<std::uint32_t>(rank);
        if (event.kind == Kind::unlock) {
            lock.release(number);
            pass(rank, late_ns_[rank].back());
        } else {
            lock.request({.rank = number, .exclusive = event.kind == Kind::lock_exclusive, .id = now_ns});
        }
        while (const auto granted = lock.grant()) {
            pass(granted->rank, late_ns_[granted->rank].back() + now_ns - granted->id);
        }
    }

    const std::vector<std::vector<LockEvent>>& of_ranks_;
    std::vector<std::vector<double>> late_ns_;                     ///< delay by rank and number of completed events
    std::vector<std::vector<std::size_t>> listeners_;              ///< by rank: ranks that wait for more of its events
    std::vector<std::size_t> ready_;                               ///< ranks whose next event can be examined
    std::map<std::pair<std::int32_t, std::int32_t>, Lock> locks_;  ///< indexed by window and target
    std::priority_queue<std::pair<double, std::size_t>, std::vector<std::pair<double, std::size_t>>, std::greater<>>
        queue_;
};

}  // namespace

void LockLog::add(const LockEvent& event, std::uint64_t stamps_sent) {
    if (count++ == 0) {
        stamps = stamps_sent;
        messages = 0;
    }
    if (event.kind == Kind::lock_exclusive) ++exclusive;
    if (count <= kMostLockEvents) events.push_back(event);
}

std::vector<double> delays_ns(const std::vector<std::vector<LockEvent>>& of_ranks) { return Locks(of_ranks).run(); }

}  // namespace waywiser::virtual_clocks
