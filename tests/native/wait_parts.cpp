/// Parts of the wait analysis, each by itself: which sends are eager, epochs and their locks, when ranks were together,
/// sums of waits, whose turn it is; and of a message that is late, who is parked, who goes on and what has ended the
/// wait.
#include <string>
#include <vector>

#include "explain/ended_waits.hpp"
#include "explain/posting.hpp"
#include "tests/native/fulfilled.hpp"
#include "trace/reading/trace_reader.hpp"
#include "trace/writing/trace_writer.hpp"

namespace {

using namespace waywiser;
using tests::fulfilled;
using namespace waywiser::explain;

bool sends_up_to_the_size_of_one_that_was_eager_are_eager() {
    EagerSizes sizes;
    Message message;
    message.bytes = 100;
    bool good = fulfilled(sizes.may_synchronise(message), "nothing is known of a send at first");
    sizes.learn(message);
    good &= fulfilled(!sizes.may_synchronise(message), "a send of a size that was eager does not wait");
    message.same_host = true;
    good &= fulfilled(sizes.may_synchronise(message), "sends within a host are told apart");
    message = {.send = {}, .receive = {}, .mode = SendMode::synchronous, .bytes = 1};
    return good & fulfilled(sizes.may_synchronise(message), "a synchronous send waits, whatever its size");
}

bool epochs_know_who_may_wait_for_their_locks() {
    Epochs epochs;
    epochs.locks = {{.target = 1, .exclusive = true, .held = false}, {.target = 2, .exclusive = false, .held = false}};
    const auto sought = [&](std::int32_t target) {
        std::vector<std::int32_t> targets;
        epochs.seek_locks(target, [&](const Lock& lock) { targets.push_back(lock.target); });
        return targets;
    };
    bool good = fulfilled(sought(trace::kAny) == std::vector{1, 2} && sought(2) == std::vector{2},
                          "locks that are not held yet are sought by their target");
    epochs.hold(1);
    good &= fulfilled(sought(trace::kAny) == std::vector{2}, "who has waited for a lock has it");
    epochs.hold_all(trace::kAny);
    good &= fulfilled(sought(trace::kAny).empty(), "a flush of all targets holds all locks");
    const auto lock = epochs.give_back(1);
    good &= fulfilled(lock && lock->exclusive && !epochs.give_back(1), "a lock is given back once");

    epochs.open = {{.index = 7, .peer = 3}, {.index = 8, .peer = 4}};
    std::vector<Need> needs;
    epochs.resume(4, needs);
    return good & fulfilled(needs.size() == 1 && needs[0].index == 8 && epochs.open.size() == 1,
                            "what an operation has ended without is waited for by the next one on its target");
}

bool ranks_were_together_over_an_object_or_all_of_them() {
    Synchronisations synchronisations;
    synchronisations.add_rank(2);
    synchronisations.together(0, 1, 50, false);
    bool good = fulfilled(synchronisations.over_ns(0, 1) == 50 && synchronisations.over_ns(0, 0) == 0 &&
                              synchronisations.with_all_ns(0) == 0,
                          "members of one communicator say nothing of another");
    synchronisations.together(0, 0, 60, true);
    synchronisations.together(0, 0, 70, true);
    return good & fulfilled(synchronisations.over_ns(0, 1) == 70 && synchronisations.before_last_ns(0) == 60,
                            "all ranks are together over all objects");
}

bool waits_are_summed_by_rank_by_time_and_by_pair() {
    trace::TraceJob job;
    job.ranks.resize(2);
    job.ranks[1].rank = 1;
    job.streams.resize(1);
    job.streams[0].begin_ns = 1000;
    job.streams[0].end_ns = 1000 + 10 * kMostWaitBins;
    WaitSums sums(job, {});
    sums.add(1, Wait::barrier, 995, 1023);
    bool good = fulfilled(sums.rank(1).wait_ns[static_cast<std::size_t>(Wait::barrier)] == 28, "a wait counts whole");
    const WaitsOverTime over_time = sums.take_over_time();
    const auto bin = [&](std::size_t i) { return over_time.ns[i][static_cast<std::size_t>(Wait::barrier)]; };
    good &= fulfilled(over_time.bin_ns == 10 && bin(0) == 10 && bin(1) == 10 && bin(2) == 3 && bin(3) == 0,
                      "each bin has the part that lies in it");

    WaitingPairs pairs;
    pairs.between(5, 2).directions[1] = {.ns = 9, .calls = 1, .synchronised_ns = 40};
    good &= fulfilled(pairs.between(2, 5).synchronised_ns() == 40, "a pair is one, whoever waits");
    const std::vector<WaitingPair> list = pairs.list();
    return good & fulfilled(list.size() == 1 && list[0].waiting == 5 && list[0].awaited == 2 && list[0].ns == 9,
                            "the direction without a wait is not listed");
}

/// Rank 1 receives from 50 on what rank 0 sends from 100 on.
void write_late_message(const std::string& path) {
    trace::TraceWriter writer(path);
    trace::TraceObject world{.context = 1, .size = 2, .name = "MPI_COMM_WORLD"};
    world.members = {{.first = 0, .stride = 1, .count = 2}};
    const std::uint32_t object = writer.object(world);
    writer.job().world_size = 2;
    writer.job().hosts = {{.host = "made"}};
    const trace::Parameters sent{.function = writer.function("MPI_Send"),
                                 .action = trace::Action::send,
                                 .object = 0,
                                 .peer = 1,
                                 .tag = 4,
                                 .bytes = 8};
    const trace::Parameters received{.function = writer.function("MPI_Recv"),
                                     .action = trace::Action::receive,
                                     .object = 0,
                                     .source = 0,
                                     .source_tag = 4,
                                     .posted = 8};
    for (const bool receives : {false, true}) {
        const std::int64_t rank = receives ? 1 : 0;
        const std::uint64_t begin_ns = receives ? 50 : 100;
        writer.job().ranks.push_back({.rank = rank, .objects = {object}, .ending = trace::Ending::finalised});
        writer.begin_stream(rank, 0);
        writer.append(writer.signature(receives ? received : sent),
                      {.begin_ns = begin_ns, .end_ns = 120, .times = 1, .polling_ns = 120 - begin_ns});
    }
    writer.finish();
}

bool a_late_message_parks_its_receiver_until_it_is_sent(const std::string& folder) {
    const std::string path = folder + "/late.ww";
    write_late_message(path);
    const trace::TraceFile file(path);
    const trace::TraceJob& job = file.job();
    std::vector<History> histories(2, History(256));
    CriticalPaths paths(histories);
    Synchronisations synchronisations;
    for (int rank = 0; rank < 2; ++rank) synchronisations.add_rank(1);
    Omissions omissions;
    Reading reading(file, histories);
    InFlight in_flight(job);
    Needs needs(job, reading, in_flight, paths, synchronisations, omissions);
    Posting posting(job, reading, in_flight, paths, needs, omissions);
    Intervals intervals(file.signatures());
    Delays delays(histories, intervals, {0, 1});
    WaitSums sums(job, {});
    WaitingPairs pairs;
    EndedWaits ended(reading, in_flight, needs, synchronisations, paths, delays, sums, pairs, omissions);

    for (Stream& stream : reading.streams()) {
        reading.read_next(stream);
        stream.history->push({.end_ns = stream.begin_ns, .call_ns = stream.call_ns()});
    }
    bool good = fulfilled(reading.origin_ns() == 50 && reading.next_ns() == 50 && reading.by_others_up_to_ns(0) == 50,
                          "the receiver has its first call first");
    Stream& receiver = reading.stream(1);
    posting.post(receiver);
    needs.await(receiver);
    good &= fulfilled(receiver.parked && reading.earliest_parked() == &receiver && !reading.next_rank(),
                      "the receiver is parked while nothing is sent");
    posting.post(reading.stream(0));
    good &= fulfilled(!receiver.parked && reading.next_rank() == 1, "it goes on when the message is sent");

    const auto end = ended.what_ended(receiver);
    if (!fulfilled(end && end->wait == Wait::late_sender && end->ns == 100 && end->awaited == 0, "it waited for it")) {
        return false;
    }
    ended.count(receiver, *end);
    needs.leave(receiver, receiver.needs[0]);
    good &=
        fulfilled(sums.rank(1).wait_ns[static_cast<std::size_t>(Wait::late_sender)] == 50 && pairs.list().size() == 1,
                  "the wait lasts from the begin of the receive to that of the send");
    needs.leave(reading.stream(0), reading.stream(0).needs[0]);
    good &= fulfilled(in_flight.messages.left(true) == 0 && in_flight.messages.left(false) == 0, "nothing is left");
    return good & fulfilled(reading.read_next(receiver) && reading.calls() == 2, "the rank has finished then");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    bool good = sends_up_to_the_size_of_one_that_was_eager_are_eager();
    good &= epochs_know_who_may_wait_for_their_locks();
    good &= ranks_were_together_over_an_object_or_all_of_them();
    good &= waits_are_summed_by_rank_by_time_and_by_pair();
    good &= a_late_message_parks_its_receiver_until_it_is_sent(argv[1]);
    return good ? 0 : 1;
}
