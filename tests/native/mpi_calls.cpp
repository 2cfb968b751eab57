/// The semantics of MPI calls, each part by itself: tables of requests, wildcards, matching of receives, epochs and
/// locks of windows, neighbours, and members of a group.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mpi/channels.hpp"
#include "mpi/groups.hpp"
#include "mpi/neighbours.hpp"
#include "mpi/open_receives.hpp"
#include "mpi/requests.hpp"
#include "mpi/windows.hpp"
#include "tests/native/fulfilled.hpp"

namespace {

using namespace waywiser;
using mpi::Epoch;
using mpi::EpochSignal;
using tests::fulfilled;

bool functions_have_the_roles_of_their_operations() {
    using mpi::Role;
    const std::vector<std::pair<const char*, Role>> roles{{"MPI_Ibcast_c", Role::from_root},
                                                          {"MPI_Allreduce_init", Role::all_to_all},
                                                          {"MPI_Ineighbor_alltoall", Role::neighbours},
                                                          {"MPI_Comm_idup_with_info", Role::make_object},
                                                          {"MPI_Intercomm_create", Role::make_object},
                                                          {"MPI_Intercomm_merge", Role::make_object},
                                                          {"MPI_Info_create", Role::none}};
    bool good = true;
    for (const auto& [function, role] : roles) good &= fulfilled(mpi::call_role(function).role == role, function);
    return good;
}

bool requests_are_found_by_their_numbers() {
    mpi::RequestTable<int> table;
    bool good =
        fulfilled(table.find(0) == nullptr && table.make(-1) == nullptr, "a number that is none has no request");
    *table.make(3) = 7;
    good &= fulfilled(*table.find(3) == 7 && *table.find(0) == 0 && table.find(4) == nullptr,
                      "a request makes room for those below");
    good &= fulfilled(table.make(3) == table.find(3), "a request that is made again is the same one");
    good &= fulfilled(table.make(mpi::kMostRequests) == nullptr, "no program has a number so large");
    return good;
}

bool only_requests_that_there_are_are_completed() {
    mpi::RequestTable<int> table;
    *table.make(1) = 10;
    const std::vector<std::int32_t> requests{1, 5, -1};
    const std::vector<trace::Completion> completed{{0, 4, 8}, {1, 4, 8}, {2, 4, 8}, {3, 4, 8}, {-1, 4, 8}};
    trace::Parameters call;
    call.requests = requests;
    call.completed = completed;
    std::vector<std::pair<int, std::int32_t>> seen;
    table.each_completed(call,
                         [&](int request, const trace::Completion& done) { seen.emplace_back(request, done.tag); });
    return fulfilled(seen == std::vector<std::pair<int, std::int32_t>>{{10, 8}}, "one request of five is completed");
}

bool wildcards_take_what_they_name() {
    mpi::Selector any{.source = trace::kAny, .tag = 5};
    const mpi::Selector named{.source = 2, .tag = 5};
    bool good = fulfilled(any.has_wildcard() && !named.has_wildcard(), "a receive of any source has a wildcard");
    good &= fulfilled(any.may_match(named) && named.may_match(any), "a receive of any source may take a named message");
    good &= fulfilled(!any.may_match({.source = 2, .tag = 6}), "it takes none of another tag");
    any.settle(3, 9);
    good &= fulfilled(any.source == 3 && any.tag == 5 && !any.may_match(named), "what was named stays as it was");
    return good;
}

bool receives_get_their_messages_in_the_order_of_posting() {
    mpi::OpenReceives<int> receives;
    const auto post = [&](int id, std::int32_t source, std::uint64_t context = 1) {
        return receives.post({.id = id, .context = context, .from = {.source = source, .tag = 5}});
    };
    bool good = fulfilled(!post(0, 3), "a receive that is alone gets the next message");
    good &= fulfilled(post(1, trace::kAny) && post(2, 3), "what a wildcard may take is not another's yet");
    good &= fulfilled(post(3, trace::kAny) && !post(4, 3, 2), "another communicator has messages of its own");
    good &= fulfilled(receives.is_contested(*receives.find(2)) && !receives.is_contested(*receives.find(1)),
                      "only earlier receives are in the way");
    receives.find(3)->from.settle(3, 5);
    std::string closed;
    const auto close = [&](const auto& receive) { closed += std::to_string(receive.id) + " "; };
    receives.close_known(close);
    good &= fulfilled(closed.empty(), "a receive that is complete waits for an earlier one that is not");
    receives.find(1)->from.settle(4, 5);
    receives.close_known(close);
    good &= fulfilled(closed == "1 2 3 " && receives.empty(), "then all get theirs, the first one first");
    return good &
           fulfilled(post(5, trace::kAny) && receives.erase(5) && !receives.erase(5), "a receive is given up once");
}

bool the_nth_send_is_the_nth_receive() {
    mpi::Channels<mpi::Channel<int>> channels;
    const mpi::ChannelKey key{.group = 0, .tag = 7, .source = 1, .destination = 2};
    const std::uint32_t number = channels.number(key);
    bool good = fulfilled(channels.number({.group = 0, .tag = 8, .source = 1, .destination = 2}) != number &&
                              channels.number(key) == number && channels.key(number) == key,
                          "each key has a channel of its own");
    mpi::Channel<int>& channel = channels[number];
    for (int i = 0; i < 9; ++i) channel.next(channel.claimed) = 10 + i;  // more than have room in the channel
    channel.withdraw(3);
    channel.withdraw(7);
    std::string met;
    while (channel.sent < channel.claimed) {
        met += std::to_string(channel.next(channel.sent)) + " ";
        channel.pass();
    }
    channel.next(channel.sent) = 30;  // before its receive
    good &= fulfilled(met == "10 11 12 14 15 16 17 ", "receives that are left meet the sends in turn");
    return good & fulfilled(channel.sent == 8 && channel.claimed == 7 && channel.next(channel.claimed) == 30,
                            "a message waits for its receive");
}

/// Writes down what it is to do.
struct Log {
    std::string& text;

    void notify(std::int32_t member, EpochSignal signal) {
        add(signal == mpi::kPosted ? "notify posted" : "notify completed", member);
    }
    void await(std::int32_t member, EpochSignal signal) {
        add(signal == mpi::kPosted ? "await posted" : "await completed", member);
    }
    void end_access() { add("end", -1); }
    void lock() { add("lock", -1); }
    void flush() { add("flush", -1); }
    void unlock() { add("unlock", -1); }
    void add(const char* what, std::int32_t member) {
        text += what + (member < 0 ? std::string() : " " + std::to_string(member)) + "; ";
    }
};

bool epochs_are_followed() {
    std::string text;
    mpi::EpochPartners with;
    const auto follow = [&](Epoch epoch, std::vector<std::int32_t> members = {}) {
        return mpi::follow_epoch(epoch, with, std::move(members), Log{text});
    };
    follow(Epoch::post, {1, 2});
    follow(Epoch::start, {3});
    follow(Epoch::complete);
    follow(Epoch::complete);
    follow(Epoch::wait);
    follow(Epoch::wait);
    follow(Epoch::lock);
    follow(Epoch::flush);
    follow(Epoch::unlock);
    const bool other = follow(Epoch::begin_split) || follow(Epoch::none);
    return fulfilled(text ==
                         "notify posted 1; notify posted 2; await posted 3; end; notify completed 3; end; "
                         "await completed 1; await completed 2; lock; flush; unlock; ",
                     "an epoch is begun and ended with the same partners, once") &&
           fulfilled(!other, "other calls do nothing to epochs");
}

bool operations_are_over_by_target() {
    mpi::PendingOperations<double> pending{{1, 10.0}, {2, 20.0}, {3, 30.0}};
    double sum = 0;
    const auto wait = [&](double over) { sum += over; };
    mpi::flush(pending, 2, wait);
    bool good = fulfilled(sum == 20 && pending.size() == 2, "a flush of one target waits for this one");
    mpi::flush(pending, trace::kAny, wait);
    good &= fulfilled(sum == 60 && pending.empty(), "a flush of all waits for the rest");
    return good;
}

bool locks_are_granted_in_the_order_of_requests() {
    mpi::WindowLock<int> lock;
    std::string given;
    const auto give = [&] {
        while (const auto one = lock.grant()) given += std::to_string(one->id) + (one->exclusive ? "! " : " ");
    };
    const auto ask = [&](std::uint32_t rank, bool exclusive) {
        lock.request({.rank = rank, .exclusive = exclusive, .id = static_cast<int>(10 * rank)});
        give();
    };
    ask(1, false);
    ask(2, false);
    ask(3, true);
    ask(4, false);  // does not pass the one that waits for it alone
    bool good = fulfilled(given == "10 20 " && lock.holders().size() == 2, "two share the lock");
    lock.release(1);
    give();
    good &= fulfilled(given == "10 20 ", "the last holder keeps the next one waiting");
    lock.release(2);
    give();
    good &= fulfilled(given == "10 20 30! " && lock.exclusive(), "the first in line has it alone");
    lock.release(3);
    give();
    return good & fulfilled(given == "10 20 30! 40 " && !lock.exclusive(), "then the next one has it");
}

struct Object {
    std::shared_ptr<const mpi::Neighbours> neighbours = nullptr;
};

bool neighbours_are_those_of_the_call() {
    std::vector<Object> objects(3);
    const std::vector<std::uint64_t> ranks{4, 5, 6};
    trace::Parameters call;
    call.created = 1;
    call.detail = 2;
    call.counts = ranks;
    mpi::learn_neighbours(objects, mpi::call_role("MPI_Dist_graph_create_adjacent"), call);
    const bool known = objects[1].neighbours != nullptr &&
                       objects[1].neighbours->in == std::vector<std::int32_t>{4, 5} &&
                       objects[1].neighbours->out == std::vector<std::int32_t>{6};
    call = {};
    call.object = 1;
    call.created = 2;
    mpi::learn_neighbours(objects, mpi::call_role("MPI_Comm_dup"), call);
    const bool copied = objects[2].neighbours == objects[1].neighbours;
    call.created = 1;
    mpi::learn_neighbours(objects, mpi::call_role("MPI_Comm_split"), call);
    return fulfilled(known, "those that are received from come first") &&
           fulfilled(copied, "a duplicate has the topology of its original") &&
           fulfilled(objects[1].neighbours == nullptr, "a number that is used again has another topology");
}

bool members_and_their_ranks_are_inverse() {
    trace::TraceJob job;
    trace::TraceObject object;
    object.members = {{.first = 8, .stride = -2, .count = 3},
                      {.first = 1, .stride = 0, .count = 1},
                      {.first = 20, .stride = 5, .count = 2}};
    job.objects = {object};
    job.ranks.resize(2);
    job.ranks[0].rank = 1;
    job.ranks[1].rank = 3;
    const mpi::Groups groups(job);
    const std::vector<std::int64_t> expected{8, 6, 4, 1, 20, 25};
    bool good = true;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto place = static_cast<std::int64_t>(i);
        good &= groups.world_rank(0, place) == expected[i] && groups.rank_in(0, expected[i]) == place;
    }
    good &= groups.world_rank(0, 6) == trace::kUnknown && groups.world_rank(0, -1) == trace::kUnknown &&
            groups.rank_in(0, 7) == -1;
    return fulfilled(good, "members and their ranks in the group are inverse") &&
           fulfilled(mpi::rank_indices(job) == std::vector<std::int32_t>{-1, 0, -1, 1}, "ranks have their indices");
}

}  // namespace

int main() {
    bool good = functions_have_the_roles_of_their_operations();
    good &= requests_are_found_by_their_numbers();
    good &= only_requests_that_there_are_are_completed();
    good &= wildcards_take_what_they_name();
    good &= receives_get_their_messages_in_the_order_of_posting();
    good &= the_nth_send_is_the_nth_receive();
    good &= epochs_are_followed();
    good &= operations_are_over_by_target();
    good &= locks_are_granted_in_the_order_of_requests();
    good &= neighbours_are_those_of_the_call();
    good &= members_and_their_ranks_are_inverse();
    return good ? 0 : 1;
}
