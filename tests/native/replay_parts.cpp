/// Parts of the replay, each by itself: what is used again, locks of windows in the order of time, and collectives in
/// switches that all members come to.
#include <cstdio>
#include <string>
#include <vector>

#include "base/pool.hpp"
#include "simulate/reductions.hpp"
#include "simulate/window_locks.hpp"

namespace {

using namespace waywiser;
using namespace waywiser::simulate;

bool fulfilled(bool is_true, const char* what) {
    if (!is_true) std::fprintf(stderr, "it does not hold that %s\n", what);
    return is_true;
}

Moment at(double ns) {
    Moment moment;
    moment.add(ns);
    return moment;
}

bool what_was_released_is_used_again() {
    Pool<std::vector<int>> pool;
    const std::uint32_t first = pool.acquire();
    const std::uint32_t second = pool.acquire();
    pool[first] = 7;
    pool.release(first);
    bool good = fulfilled(first != second && pool.acquire() == first && pool[first] == 7, "a number is used again");
    return good & fulfilled(pool.acquire() != second, "one that is in use is not");
}

/// Ranks 1 to 3 ask for the lock of rank 0's part of window 5: the first and the last alone, the second to share it.
bool locks_are_granted_in_the_order_of_time() {
    WindowLocks locks;
    WindowLock& lock = locks.of(5, 0);
    std::vector<std::uint32_t> given;
    const auto note = [&](const LockRequest& request) { given.push_back(request.rank); };
    const auto ask = [&](std::uint32_t rank, bool exclusive, double there_ns) {
        return locks.request({.lock = &lock,
                              .rank = rank,
                              .exclusive = exclusive,
                              .latency_ns = 10,
                              .there = at(there_ns),
                              .answer = {}});
    };
    const std::uint32_t third = ask(3, true, 300);
    const std::uint32_t second = ask(2, false, 200);
    const std::uint32_t first = ask(1, true, 100);
    bool good = fulfilled(locks.next_ns() == 100, "the earliest request comes first, whoever asked first");
    while (locks.arrive(note)) continue;
    good &= fulfilled(given == std::vector<std::uint32_t>{1} && locks[first].answer.ns() == 110,
                      "who finds the lock free has it a latency later");
    locks.release(lock, 1, at(500), note);
    good &= fulfilled(
        given == std::vector<std::uint32_t>{1, 2} && locks[second].answer.ns() == 510 && locks[second].freed_ns == 500,
        "who shares the lock waits until it is given back");
    locks.release(lock, 2, at(450), note);
    good &= fulfilled(given.size() == 3 && locks[third].answer.ns() == 510,
                      "who has it alone waits for the last one who gave it back");
    return good & fulfilled(!locks.arrive(note) && locks.next_ns() == Deadlines::kNever_ns, "nobody else asks");
}

bool reductions_are_over_once_all_have_come_and_left() {
    const Group group({{.first = 0, .stride = 1, .count = 2}}, {0, 1});
    Reductions reductions;
    const std::uint32_t first = reductions.join(group, 9, 0);
    const std::uint32_t next = reductions.join(group, 9, 0);
    bool good = fulfilled(next != first, "a member's second call is of the next collective");
    good &= fulfilled(reductions.join(group, 9, 1) == first && reductions[first].missing == 0,
                      "the first call of another member is of the first one");
    reductions.leave(first);
    good &= fulfilled(reductions.join(group, 8, 0) != first, "a collective stays until its last member leaves");
    reductions.leave(first);
    return good & fulfilled(reductions.join(group, 7, 1) == first, "its room is used again then");
}

}  // namespace

int main() {
    bool good = what_was_released_is_used_again();
    good &= locks_are_granted_in_the_order_of_time();
    good &= reductions_are_over_once_all_have_come_and_left();
    return good ? 0 : 1;
}
