#include "virtual/locks.hpp"

#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <utility>

namespace waywiser::virtual_clocks {
namespace {

using What = LockEvent::What;

struct Request {
    std::size_t rank;
    double there_ns;
    bool exclusive;
};

struct Lock {
    std::vector<std::size_t> holders;
    bool exclusive = false;  ///< they are one who has it alone
    std::deque<Request> line;

    /// Whether who is first in line can have it.
    [[nodiscard]] bool is_free() const {
        return !line.empty() && (holders.empty() || !(exclusive || line.front().exclusive));
    }
};

/// All events in the order of time. A rank that waits for a lock has no next one until it is given to it.
class Locks {
public:
    explicit Locks(const std::vector<std::vector<LockEvent>>& of_ranks)
        : of_ranks_(of_ranks), next_(of_ranks.size()), waits_ns_(of_ranks.size()) {
        for (std::size_t rank = 0; rank < of_ranks_.size(); ++rank) expect_next(rank);
    }

    [[nodiscard]] std::vector<double> run() {
        while (!queue_.empty()) {
            const auto [now_ns, rank] = queue_.top();
            queue_.pop();
            happen(of_ranks_[rank][next_[rank]++], rank, now_ns);
        }
        return std::move(waits_ns_);
    }

private:
    void expect_next(std::size_t rank) {
        if (next_[rank] == of_ranks_[rank].size()) return;
        queue_.emplace(of_ranks_[rank][next_[rank]].there_ns + waits_ns_[rank], rank);
    }

    void happen(const LockEvent& event, std::size_t rank, double now_ns) {
        Lock& lock = locks_[{event.window, event.target}];
        if (event.what == What::give_back) {
            std::erase(lock.holders, rank);
            expect_next(rank);
        } else {
            lock.line.push_back({.rank = rank, .there_ns = now_ns, .exclusive = event.what == What::exclude});
        }
        while (lock.is_free()) {
            const Request given = lock.line.front();
            lock.line.pop_front();
            lock.exclusive = given.exclusive;
            lock.holders.push_back(given.rank);
            waits_ns_[given.rank] += now_ns - given.there_ns;
            expect_next(given.rank);
        }
    }

    const std::vector<std::vector<LockEvent>>& of_ranks_;
    std::vector<std::size_t> next_;  ///< event, by rank
    std::vector<double> waits_ns_;
    std::map<std::pair<std::int32_t, std::int32_t>, Lock> locks_;  ///< by window and target
    std::priority_queue<std::pair<double, std::size_t>, std::vector<std::pair<double, std::size_t>>, std::greater<>>
        queue_;
};

}  // namespace

void LockLog::add(const LockEvent& event, std::uint64_t stamps_sent) {
    if (count++ == 0) stamps = stamps_sent;
    if (event.what == What::exclude) ++exclusive;
    if (count <= kMostLockEvents) events.push_back(event);
}

std::vector<double> waits_ns(const std::vector<std::vector<LockEvent>>& of_ranks) { return Locks(of_ranks).run(); }

}  // namespace waywiser::virtual_clocks
