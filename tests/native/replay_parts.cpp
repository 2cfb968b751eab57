/// Parts of the replay, each by itself: whose turn it is, what is used again, letters to other parts of the ranks,
/// locks of windows in the order of time, and collectives in switches that all members come to.
#include <cstdio>
#include <string>
#include <vector>

#include "base/pool.hpp"
#include "simulate/exchange.hpp"
#include "simulate/reductions.hpp"
#include "simulate/schedule.hpp"
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

using Numbers = std::vector<std::uint32_t>;

bool actors_go_on_once_all_they_lack_is_there() {
    Schedule schedule;
    for (int i = 0; i < 3; ++i) schedule.add();
    std::uint32_t first = kNothing;
    std::uint32_t second = kNothing;
    schedule.await(1, first);
    schedule.await(1, first);  // is told once
    schedule.await(1, second);
    bool good = fulfilled(!schedule.wake(first) && schedule.is_parked(1) && schedule.idle(), "one of two is too few");
    good &= fulfilled(schedule.wake(second) && !schedule.is_parked(1), "both are enough");
    schedule.enqueue(0);
    good &= fulfilled(!schedule.wake(first) && schedule.next_round() == Numbers{1, 0} && schedule.idle(),
                      "actors go on in the order in which they came to");
    schedule.await(2, first);
    schedule.await(0, first);
    good &= fulfilled(schedule.wake(first) && schedule.next_round() == Numbers{0}, "the last one to wait is told");
    good &= fulfilled(schedule.release_crowded() && schedule.next_round() == Numbers{2}, "the other one looks again");
    return good & fulfilled(!schedule.release_crowded(), "it does so once");
}

bool letters_name_new_channels_once() {
    Mail mail(1, 3);
    const ChannelKey key{.group = 0, .tag = 4, .source = 1, .destination = 2};
    const std::uint32_t channel = mail.channel(key, 2);
    bool good = fulfilled(mail.channel(key, 2) == channel && mail.key(channel) == key && (channel & kAway) != 0,
                          "a channel to another part has a number of its own");
    mail.send(channel, {.available = at(5)});
    mail.request(channel, Handshake{}, 7);
    const Letters& letters = mail.to(2);
    good &= fulfilled(letters.channels.size() == 1 && letters.messages.size() == 2 && mail.to(0).empty(),
                      "what is sent goes to its part");
    good &= fulfilled(letters.messages[0].message.handshake == kNothing && letters.messages[1].message.handshake == 0 &&
                          letters.requests[0].other_part == 1 && letters.requests[0].other_number == 7,
                      "a request says who asks");
    Exchange exchange(3);
    mail.hand_over(exchange);
    const std::vector<Letters> came = exchange.collect(2, false);
    return good &
           fulfilled(came.size() == 1 && came[0].from == 1 && mail.to(2).empty() && exchange.collect(0, false).empty(),
                     "letters are handed over once");
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
    Numbers given;
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
    good &= fulfilled(given == Numbers{1} && locks[first].answer.ns() == 110,
                      "who finds the lock free has it a latency later");
    locks.release(lock, 1, at(500), note);
    good &= fulfilled(given == Numbers{1, 2} && locks[second].answer.ns() == 510 && locks[second].freed_ns == 500,
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
    bool good = actors_go_on_once_all_they_lack_is_there();
    good &= letters_name_new_channels_once();
    good &= what_was_released_is_used_again();
    good &= locks_are_granted_in_the_order_of_time();
    good &= reductions_are_over_once_all_have_come_and_left();
    return good ? 0 : 1;
}
