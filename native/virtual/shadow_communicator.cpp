#include "virtual/shadow_communicator.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>

namespace waywiser::virtual_clocks {
namespace {

/// Leaks a buffer that the library may still write to.
template <class T>
void abandon(std::unique_ptr<T>& owned) {
    [[maybe_unused]] const T* kept = owned.release();
}

/// Stamps are sent before they are awaited, so that only a rank that has stopped following makes others wait this long.
constexpr std::chrono::seconds kPatience{30};

template <class Function>
bool take_call(const profile::ListenerServices& services, Function& function, const char* name) {
    function = reinterpret_cast<Function>(services.find(name));
    return function != nullptr;
}

void require_success(int result, const char* action) {
    if (result != 0) throw Lost(std::string("MPI has refused to ") + action);
}

}  // namespace

bool Mpi::take(const profile::ListenerServices& services) {
    library = services.library;
    byte = reinterpret_cast<Handle>(library->constants.byte);
    status_ignore = reinterpret_cast<void*>(library->constants.status_ignore);
    return take_call(services, isend, "PMPI_Isend") && take_call(services, irecv, "PMPI_Irecv") &&
           take_call(services, test, "PMPI_Test") && take_call(services, cancel, "PMPI_Cancel") &&
           take_call(services, request_free, "PMPI_Request_free") && take_call(services, allgather, "PMPI_Allgather") &&
           take_call(services, iallgather, "PMPI_Iallgather") && take_call(services, comm_split, "PMPI_Comm_split") &&
           take_call(services, comm_free, "PMPI_Comm_free");
}

ShadowCommunicator::ShadowCommunicator(const Mpi& mpi, Handle program_communicator, int node, Travels& travels)
    : mpi_(mpi), travels_(travels) {
    int inter = 0;
    mpi.library->comm_rank(program_communicator, &rank_);
    mpi.library->comm_test_inter(program_communicator, &inter);
    between_groups_ = inter != 0;
    // MPI_Comm_dup is avoided because it would call the program's functions that copy attributes.
    require_success(mpi.comm_split(program_communicator, 0, rank_, &communicator_), "make a communicator");
    (between_groups_ ? mpi.library->comm_remote_size : mpi.library->comm_size)(communicator_, &size_);
    const std::int64_t own = node;
    node_of_rank_.resize(static_cast<std::size_t>(size_));
    require_success(
        mpi.allgather(&own, sizeof own, mpi.byte, node_of_rank_.data(), sizeof own, mpi.byte, communicator_),
        "gather the nodes");
}

const collectives::Nodes& ShadowCommunicator::nodes() {
    if (!nodes_) nodes_.emplace(node_of_rank_);
    return *nodes_;
}

/// Frees the memory of complete transfers, earliest first.
template <class Value>
void ShadowCommunicator::reap(std::deque<std::unique_ptr<Transfer<Value>>>& transfers) {
    while (!transfers.empty()) {
        int done = 0;
        if (mpi_.test(&transfers.front()->request, &done, mpi_.status_ignore) != 0 || done == 0) return;
        transfers.pop_front();
    }
}

ShadowCommunicator::~ShadowCommunicator() {
    // Transfers that were never received remain with the library, including their buffers.
    const auto leave = [this](auto& transfers) {
        reap(transfers);
        for (auto& left : transfers) {
            mpi_.request_free(&left->request);
            abandon(left);
        }
    };
    for (auto& left : abandoned_) abandon(left);
    leave(sending_);
    leave(sending_events_);
    mpi_.comm_free(&communicator_);
}

void ShadowCommunicator::send(int to, Kind kind, const Stamp& stamp) {
    reap(sending_);
    const bool lost = travels_.lost();
    if (lost && !farewells_[static_cast<std::size_t>(kind)].insert(to).second) return;
    Stamp sent = stamp;
    sent.lost = static_cast<std::uint16_t>(lost ? 1 : 0);
    if (kind == Kind::message) {
        sent.meeting = locks_.meeting;
        sent.lock_events = static_cast<std::uint32_t>(locks_.count);
        ++locks_.messages;
    }
    send(sending_, to, kind, std::vector{sent});
}

void ShadowCommunicator::send(int to, std::vector<LockEvent> events) {
    reap(sending_events_);
    send(sending_events_, to, Kind::lock, std::move(events));
}

template <class Value>
void ShadowCommunicator::send(std::deque<std::unique_ptr<Transfer<Value>>>& transfers, int to, Kind kind,
                              std::vector<Value> values) {
    auto transfer = std::make_unique<Transfer<Value>>();
    transfer->values = std::move(values);
    const std::size_t bytes = transfer->values.size() * sizeof(Value);
    require_success(mpi_.isend(transfer->values.data(), static_cast<int>(bytes), mpi_.byte, to, static_cast<int>(kind),
                               communicator_, &transfer->request),
                    "send a stamp");
    transfers.push_back(std::move(transfer));
    ++travels_.stamps;
    travels_.bytes += bytes;
}

bool ShadowCommunicator::await(Handle& request) {
    constexpr int kTestsAtOnce = 256;
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
        for (int i = 0; i < kTestsAtOnce; ++i) {
            int done = 0;
            require_success(mpi_.test(&request, &done, mpi_.status_ignore), "wait for a stamp");
            if (done != 0) return true;
        }
        if (travels_.lost() || std::chrono::steady_clock::now() > deadline) return false;
        sched_yield();
    }
}

template <class Value>
std::vector<Value> ShadowCommunicator::receive(int from, Kind kind, std::size_t count) {
    if (travels_.lost()) return {};
    auto transfer = std::make_unique<Transfer<Value>>();
    transfer->values.resize(count);
    require_success(mpi_.irecv(transfer->values.data(), static_cast<int>(count * sizeof(Value)), mpi_.byte, from,
                               static_cast<int>(kind), communicator_, &transfer->request),
                    "receive a stamp");
    if (await(transfer->request)) return std::move(transfer->values);
    mpi_.cancel(&transfer->request);
    mpi_.request_free(&transfer->request);
    abandon(transfer);  // The stamp may still arrive.
    travels_.lose("the clock of a partner did not come");
    return {};
}

Stamp ShadowCommunicator::receive(int from, Kind kind) {
    const std::vector<Stamp> came = receive<Stamp>(from, kind, 1);
    if (!came.empty() && came.front().lost != 0) travels_.lose("a partner follows no more");
    return travels_.lost() ? Stamp{} : came.front();
}

std::vector<LockEvent> ShadowCommunicator::receive_events(int from, std::size_t count) {
    return receive<LockEvent>(from, Kind::lock, count);
}

void ShadowCommunicator::post(Receive& receive) {
    receive.serial = ++serial_;
    receive.numbered = travels_.lost();  // After a loss, nothing is awaited.
    if (!receive.numbered && !open_.post({.id = receive.serial, .from = receive.from})) number(receive);
}

bool ShadowCommunicator::resolve(Receive& receive) {
    if (receive.numbered) return true;
    auto& open = *open_.find(receive.serial);
    open.from = receive.from;
    const bool first = !open_.is_contested(open);
    open_.erase(receive.serial);
    number(receive);
    return first;
}

void ShadowCommunicator::number(Receive& receive) {
    receive.number = stream(receive.from).claimed++;
    receive.numbered = true;
}

void ShadowCommunicator::withdraw(const Receive& receive) {
    open_.erase(receive.serial);
    if (!receive.numbered || travels_.lost()) return;
    Stream& of = stream(receive.from);
    if (receive.number + 1 == of.claimed) --of.claimed;
}

/// A program may use each tag only once, so the number of idle streams that are kept is bounded.
void ShadowCommunicator::forget_if_idle(mpi::Selector from) {
    constexpr std::size_t kManyStreams = 1024;
    if (streams_.size() < kManyStreams) return;
    const auto entry = streams_.find(key(from));
    if (entry->second.claimed == entry->second.arrived && entry->second.stamps.empty()) streams_.erase(entry);
}

Stamp ShadowCommunicator::take(const Receive& receive) {
    while (!travels_.lost() && stream(receive.from).arrived <= receive.number) {
        const Stamp stamp = this->receive(receive.from.source, Kind::message);
        if (travels_.lost()) break;
        Stream& of = stream({.source = receive.from.source, .tag = stamp.tag});
        of.stamps.emplace(of.arrived++, stamp);
    }
    if (travels_.lost()) return {};
    std::unordered_map<std::uint64_t, Stamp>& stamps = stream(receive.from).stamps;
    const auto entry = stamps.find(receive.number);
    if (entry == stamps.end()) {
        travels_.lose("two receives matched the same message");
        return {};
    }
    const Stamp stamp = entry->second;
    stamps.erase(entry);
    forget_if_idle(receive.from);
    return stamp;
}

Stamp ShadowCommunicator::take(mpi::Selector from) {
    return take(Receive{.from = from, .number = stream(from).claimed++, .numbered = true});
}

std::unique_ptr<Transfer<Start>> ShadowCommunicator::gather_starts(const Start& own) {
    reap(abandoned_);
    auto transfer = std::make_unique<Transfer<Start>>();
    transfer->values.resize(static_cast<std::size_t>(size_) + 1);
    transfer->values.back() = own;
    if (travels_.lost()) transfer->values.back().now_ns = Start::kLost_ns;
    require_success(mpi_.iallgather(&transfer->values.back(), sizeof own, mpi_.byte, transfer->values.data(),
                                    sizeof own, mpi_.byte, communicator_, &transfer->request),
                    "gather the clocks");
    ++travels_.stamps;
    travels_.bytes += sizeof own * static_cast<std::uint64_t>(size_);
    return transfer;
}

std::vector<Start> ShadowCommunicator::await_starts(std::unique_ptr<Transfer<Start>> transfer) {
    if (!await(transfer->request)) {
        abandoned_.push_back(std::move(transfer));
        travels_.lose("a partner did not come to a collective");
        return {};
    }
    transfer->values.pop_back();
    const bool all_follow =
        std::ranges::none_of(transfer->values, [](const Start& start) { return start.now_ns == Start::kLost_ns; });
    if (!all_follow) travels_.lose("a partner follows no more");
    return travels_.lost() ? std::vector<Start>{} : std::move(transfer->values);
}

}  // namespace waywiser::virtual_clocks
