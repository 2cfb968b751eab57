/// Parts of the replay, each by itself: whose turn it is, what is used again, letters to other parts of the ranks,
/// locks of windows in the order of time, messages with and without a handshake, and collectives.
#include <string>
#include <vector>

#include "base/pool.hpp"
#include "simulate/collective_replayer.hpp"
#include "simulate/window_locks.hpp"
#include "tests/native/fulfilled.hpp"

namespace {

using namespace waywiser;
using tests::fulfilled;
using namespace waywiser::simulate;

Timestamp at(double ns) {
    Timestamp moment;
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
    good &= fulfilled(schedule.release_displaced() && schedule.next_round() == Numbers{2}, "the other one looks again");
    return good & fulfilled(!schedule.release_displaced(), "it does so once");
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

/// Nobody makes calls but the test.
class NoCalls : public trace::CallSource {
public:
    [[nodiscard]] const std::vector<List>& lists() const override { return lists_; }
    [[nodiscard]] std::uint32_t list_of(std::size_t /*stream*/) const override { return 0; }
    [[nodiscard]] std::unique_ptr<trace::CallReader> reader() const override { return nullptr; }

private:
    std::vector<List> lists_;
};

/// Ranks of a communicator, each on a node of its own and within a call. Messages of up to 100 B are eager. Of a
/// message, o is 100, L 1000, g 500, and G 1 ns a byte.
struct Ranks {
    explicit Ranks(std::uint32_t size, const char* function = "MPI_Send", const char* algorithm = "linear",
                   bool in_calls = false)
        : common(describe(size, function, algorithm), calls, settings),
          messages(completed(in_calls), {}, 1, actors, schedule, remarks) {
        for (std::uint32_t rank = 0; rank < size; ++rank) {
            Actor& actor = actors.add();
            actor.number = actor.rank = rank;
            actor.in_call = true;
            schedule.add();
        }
    }

    Common& completed(bool in_calls) {
        common.in_calls = in_calls;
        common.part_of_rank.resize(common.ranks.size());
        return common;
    }

    const trace::TraceJob& describe(int size, const char* function, const char* algorithm) {
        job.world_size = size;
        job.functions = {function};
        job.objects = {{.context = 1,
                        .size = size,
                        .name = "",
                        .members = {{.first = 0, .stride = 1, .count = size}},
                        .own_group = {}}};
        settings.within = settings.between = {
            .costs = {{.up_to_bytes = {}, .latency_ns = 1000, .overhead_ns = 100, .gap_ns = 500, .ns_per_byte = 1}},
            .eager_limit_bytes = 100};
        settings.collectives = {{"allreduce", algorithm}};
        for (int rank = 0; rank < size; ++rank) {
            job.ranks.push_back({.rank = rank, .objects = {0}});
            settings.node_of_rank.push_back(rank);
        }
        return job;
    }

    Need send(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
        const Charge costs = messages.charge(from, to, bytes, machine::Protocol::by_size);
        return messages.send(actors[from], messages.channel({1, 0, from, to}), costs, bytes);
    }
    Need receive(std::uint32_t to, std::uint32_t from) {
        return messages.receive(actors[to], messages.channel({1, 0, from, to}), actors[to].now);
    }
    bool take(std::uint32_t rank, const Need& need) {
        return need.kind() == Need::Kind::message && messages.take(actors[rank], need);
    }
    [[nodiscard]] double now(std::uint32_t rank) const { return actors[rank].now.ns(); }

    /// Plays a collective of 8 B as far as it goes. \return whether all have ended it
    bool replay_all() {
        const Description call{{.object = 0, .bytes = 8}};
        for (std::uint32_t rank = 0; rank < actors.size(); ++rank) replayer.begin(actors[rank], call, kBlocking);
        bool lacks = false;
        for (bool goes_on = true; std::exchange(goes_on, false);) {
            lacks = false;
            for (std::uint32_t rank = 0; rank < actors.size(); ++rank) {
                Actor& actor = actors[rank];
                for (; actor.at < actor.needs.size() && take(rank, actor.needs[actor.at]); ++actor.at) goes_on = true;
                lacks |= actor.at < actor.needs.size();
                if (actor.at < actor.needs.size() || !actor.in_collective) continue;
                replayer.proceed(actor);
                goes_on = true;
            }
        }
        return !lacks;
    }

    trace::TraceJob job;
    NoCalls calls;
    Settings settings;
    Common common;
    Actors actors;
    Schedule schedule;
    Remarks remarks;
    PointToPoint messages;
    CollectiveReplayer replayer{common, messages, schedule, remarks};
};

bool eager_messages_leave_one_after_the_other() {
    Ranks ranks(2);
    bool good = fulfilled(ranks.send(0, 1, 8).is_none() && ranks.send(0, 1, 8).is_none() && ranks.now(0) == 200,
                          "a sender goes on once its processor has done its part");
    const Need first = ranks.receive(1, 0);
    good &= fulfilled(ranks.take(1, first) && ranks.now(1) == 1208, "a message takes 2 o + L + G s");
    const Need second = ranks.receive(1, 0);
    good &= fulfilled(ranks.take(1, second) && ranks.now(1) == 1716, "the next one leaves g + G s after it");
    const Need third = ranks.receive(1, 0);
    good &= fulfilled(!ranks.take(1, third) && ranks.messages.partner_of(third) == 0U, "a third one never comes");
    Need withdrawn = third;
    ranks.messages.withdraw(withdrawn);
    good &= fulfilled(withdrawn.is_none() && !ranks.messages.unmatched(), "all that were sent are received");
    ranks.send(0, 1, 8);
    return good & fulfilled(ranks.messages.unmatched()->messages == 1, "whoever withdraws a receive gets no message");
}

/// The request is there at o + L, the grant goes back, and the data follow: their sender goes on at 2 (o + L) + o + G
/// s.
bool long_messages_wait_for_their_receives() {
    Ranks ranks(2);
    const Need sent = ranks.send(0, 1, 1000);
    bool good = fulfilled(sent.kind() == Need::Kind::sent && ranks.now(0) == 100 && ranks.messages.what_wakes(sent),
                          "a send waits until its data have left");
    ranks.schedule.await(0, *ranks.messages.what_wakes(sent));
    ranks.actors[1].now = at(5000);
    const Need received = ranks.receive(1, 0);
    good &= fulfilled(!ranks.schedule.is_parked(0) && !ranks.messages.what_wakes(sent), "the receive wakes the sender");
    ranks.messages.end_send(ranks.actors[0], sent);
    good &= fulfilled(ranks.now(0) == 5000 + 1100 + 100 + 1000, "a late receive delays the data");
    return good & fulfilled(ranks.take(1, received) && ranks.now(1) == ranks.now(0) + 1000 + 100,
                            "they are there L later, and take o of the receiver");
}

bool handshakes_wait_for_calls_where_these_make_the_progress() {
    Ranks ranks(2, "MPI_Send", "linear", true);
    Actor& receiver = ranks.actors[1];
    const Need received = ranks.receive(1, 0);
    ranks.messages.end_call(receiver, receiver.now, 0);
    receiver.in_call = false;
    const Need sent = ranks.send(0, 1, 1000);
    ranks.actors[0].need(sent);
    bool good =
        fulfilled(ranks.messages.waits_for_calls() && ranks.messages.what_wakes(sent) && !ranks.take(1, received),
                  "nobody grants what comes while he computes");
    receiver.now = receiver.begin = at(10'000);
    receiver.in_call = true;
    receiver.need(received);
    ranks.messages.proceed_in_call(receiver);
    good &= fulfilled(!ranks.messages.waits_for_calls() && !ranks.messages.what_wakes(sent), "his next call does");
    ranks.messages.end_send(ranks.actors[0], sent);
    return good & fulfilled(ranks.now(0) == 10'000 + 1100 + 100 + 1000, "the data leave after that");
}

bool collectives_are_simulated_round_by_round() {
    Ranks ranks(4, "MPI_Allreduce", "recursive doubling");
    bool good = fulfilled(ranks.replay_all() && ranks.now(0) == 2 * 1208 && ranks.now(3) == 2 * 1208,
                          "four ranks exchange what they have twice");
    good &= fulfilled(ranks.replay_all() && ranks.now(2) == 4 * 1208, "a player does the same part again");

    Ranks alone(1, "MPI_Allreduce", "recursive doubling");
    good &= fulfilled(alone.replay_all() && alone.now(0) == 0, "one rank has what it needs");

    Ranks switched(2, "MPI_Allreduce", "in network");
    good &= fulfilled(!switched.replay_all(), "switches give no messages");
    const Need result = switched.actors[1].needs.front();
    good &= fulfilled(!switched.replayer.what_wakes(result), "all have come to the switches");
    switched.replayer.take_result(switched.actors[1], result);
    return good & fulfilled(switched.now(1) == 1208, "a reduction in switches takes as long as a message");
}

bool neighbours_exchange_messages() {
    Ranks ranks(3, "MPI_Neighbor_alltoall");
    bool good =
        fulfilled(ranks.replay_all() && ranks.now(0) == 0 && ranks.remarks.size() == 1, "unknown neighbours are told");
    for (std::int32_t rank = 0; rank < 3; ++rank) {
        const mpi::Neighbours ring{.in = {(rank + 2) % 3}, .out = {(rank + 1) % 3, trace::kNone}};
        ranks.common.ranks[static_cast<std::size_t>(rank)].objects[0].neighbours =
            std::make_shared<const mpi::Neighbours>(ring);
    }
    good &= fulfilled(ranks.replay_all() && ranks.now(0) == 1204, "half of the bytes go to each of two");
    Prediction found;
    ranks.messages.add_to(found);
    return good & fulfilled(found.messages == 3 && found.bytes == 12, "nobody sends to a neighbour that is none");
}

}  // namespace

int main() {
    bool good = actors_go_on_once_all_they_lack_is_there();
    good &= letters_name_new_channels_once();
    good &= what_was_released_is_used_again();
    good &= locks_are_granted_in_the_order_of_time();
    good &= reductions_are_over_once_all_have_come_and_left();
    good &= eager_messages_leave_one_after_the_other();
    good &= long_messages_wait_for_their_receives();
    good &= handshakes_wait_for_calls_where_these_make_the_progress();
    good &= collectives_are_simulated_round_by_round();
    good &= neighbours_exchange_messages();
    return good ? 0 : 1;
}
