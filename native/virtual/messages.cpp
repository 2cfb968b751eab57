/// Messages and requests of a rank, on its clock.
#include <algorithm>
#include <utility>

#include "mpi/protocol.hpp"
#include "virtual/rank.hpp"

namespace waywiser::virtual_clocks {

using trace::Action;

double Rank::send_to(ShadowCommunicator& over, const TraceKey& key, mpi::SendMode mode) {
    if (key.peer < 0) return 0;
    if (key.peer >= over.size() || key.tag < 0) {
        lose(kFailed);  // MPICH reports this to the program's error handler only.
        return 0;
    }
    const machine::Charge charge = costs(over, key.peer).charge(key.bytes, mpi::protocol_of(mode));
    double left_ns = 0;
    Stamp stamp = send(clock_, charge, key.bytes, left_ns);
    stamp.tag = key.tag;
    over.send(key.peer, ShadowCommunicator::Kind::message, stamp);
    ++messages_;
    handshakes_ += static_cast<std::uint64_t>(stamp.handshake);
    return left_ns;
}

void Rank::take(ShadowCommunicator& over, const Receive& receive) {
    const std::int32_t source = receive.from.source;
    if (source < 0 || source >= over.size()) return;
    const Stamp stamp = over.take(receive);
    const machine::Charge charge =
        costs(over, source)
            .charge(stamp.bytes, stamp.handshake != 0 ? machine::Protocol::rendezvous : machine::Protocol::by_size);
    log_receive(over, source, charge, stamp, receive.posted_ns);
    senders_ns_ += virtual_clocks::receive(clock_, charge, stamp, receive.posted_ns);
}

void Rank::resolve(ShadowCommunicator& over, Receive& receive, std::int32_t source, std::int32_t tag) {
    if (source == trace::kUnknown || tag == trace::kUnknown) lose("where a receive's message came from is not known");
    receive.from.settle(source, tag);
    if (receive.from.source < 0) {  // The receive is from MPI_PROC_NULL, or was cancelled.
        over.withdraw(receive);
    } else if (!over.resolve(receive)) {
        remark("receives of any source or tag were completed in another order than they were posted");
    }
}

/// Starts the operations of the call.
/// \param request  stores the operations to wait for
void Rank::post(const TraceKey& key, Request& request) {
    request.over = shadow(key.object);
    if (request.over == nullptr) return;
    const auto action = static_cast<Action>(key.action);
    if (mpi::receives(action) && key.source != trace::kProcNull) {
        request.receive = Receive{.from = {.source = key.source, .tag = key.source_tag}, .posted_ns = clock_.now_ns};
        request.over->post(*request.receive);
    }
    if (mpi::sends(action)) request.over_ns = send_to(*request.over, key, functions_[key.function - 1U].role.mode);
}

/// Waits for the operations that a request started.
void Rank::finish(Request& request) {
    if (request.receive && request.receive->numbered) take(*request.over, *request.receive);
    request.receive.reset();
    if (request.starts != nullptr) {
        const auto starts = request.over->await_starts(std::move(request.starts));
        if (!starts.empty()) {
            request.over_ns =
                simulate_alone(starts, request.over->rank(), charges(*request.over), rules_, request.collective);
        }
    }
    clock_.wait_until(request.over_ns, 0);
    request.over_ns = 0;
}

void Rank::sends(const TraceKey& key, std::uint64_t begin) {
    enter(begin);
    while (functions_.size() < key.function) functions_.emplace_back();
    pass(begin);
    exit_ticks_ = std::max(exit_ticks_, begin);
    early_.emplace();
    post(key, *early_);
}

void Rank::message(const TraceKey& key) {
    if (key.message < 0 && functions_[key.function - 1U].operation == "Mrecv") return;  // This is MPI_MESSAGE_NO_PROC.
    if (key.message >= 0) {  // A probe has taken the message.
        Request taken = std::exchange(request(key.message), {});
        requests_.erase(key.message);
        if (key.request >= 0) {
            request(key.request) = std::move(taken);
        } else {
            finish(taken);
        }
        return;
    }
    if (key.request >= 0) {
        Request& created = request(key.request);
        created = {};
        return post(key, created);
    }
    Request now;
    if (early_) {
        now = std::move(*early_);
        early_.reset();
    } else {
        post(key, now);
    }
    if (now.receive) resolve(*now.over, *now.receive, key.matched_source, key.matched_tag);
    finish(now);
}

void Rank::complete(const TraceKey& key) {
    const std::vector<std::int32_t> done = numbers(key.completed);
    std::vector<trace::Completion> completions;
    for (std::size_t i = 0; i + 2 < done.size(); i += 3) completions.push_back({done[i], done[i + 1], done[i + 2]});
    struct Done {
        std::int32_t number;
        Request* request;
        trace::Completion completion;
    };
    std::vector<Done> completed;
    mpi::each_completed(numbers(key.requests), completions,
                        [&](std::int32_t number, const trace::Completion& completion) {
                            const auto entry = requests_.find(number);
                            if (entry != requests_.end()) completed.push_back({number, &entry->second, completion});
                        });
    // Messages match receives in posting order, whatever the order of the requests.
    std::vector<std::pair<Done*, Receive*>> open;
    for (Done& ended : completed) {
        std::optional<Receive>& receive = ended.request->receive;
        if (receive && !receive->numbered) open.emplace_back(&ended, &*receive);
    }
    std::ranges::sort(open, {}, [](const auto& pair) { return pair.second->serial; });
    for (const auto& [ended, receive] : open)
        resolve(*ended->request->over, *receive, ended->completion.source, ended->completion.tag);
    for (const Done& ended : completed) {
        finish(*ended.request);
        if (!ended.request->prepared) requests_.erase(ended.number);
    }
}

void Rank::probe(const TraceKey& key) {
    remark("a probe ends at once: what follows it waits for the message");
    if (key.request < 0) return;
    Request& probed = request(key.request);
    probed = {};
    probed.over = shadow(key.object);
    if (probed.over == nullptr) return;
    probed.receive = Receive{.from = {.source = key.source, .tag = key.source_tag}, .posted_ns = clock_.now_ns};
    probed.over->post(*probed.receive);
    resolve(*probed.over, *probed.receive, key.matched_source, key.matched_tag);
}

void Rank::cancel(const TraceKey& key) {
    for (const std::int32_t number : numbers(key.requests)) {
        const auto entry = requests_.find(number);
        if (entry == requests_.end()) continue;
        std::optional<Receive>& receive = entry->second.receive;
        if (!receive) {
            remark("a cancelled send is taken to have been received");
            continue;
        }
        remark("a cancelled receive is taken to have got no message");
        entry->second.over->withdraw(*receive);
        receive.reset();
    }
}

void Rank::start(const TraceKey& key) {
    for (const std::int32_t number : numbers(key.requests)) {
        const auto entry = requests_.find(number);
        if (entry == requests_.end()) continue;
        const auto& prepared = entry->second.prepared;
        if (!prepared) continue;
        TraceKey posted = *prepared;
        if (static_cast<Action>(posted.action) == Action::prepare_collective) {
            posted.request = number;
            collective(posted, functions_[posted.function - 1U], 0);
        } else {
            post(posted, entry->second);
        }
    }
}

}  // namespace waywiser::virtual_clocks
