#include "mpi/matching.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <span>

#include "base/hash.hpp"
#include "mpi/open_receives.hpp"

namespace waywiser::mpi {
namespace {

using trace::Completion;
using trace::Cursor;
using trace::kUnknown;
using trace::TraceJob;
using trace::TraceRank;

using OperationPointer = std::shared_ptr<Operation>;

/// A request: its active operations, and what MPI_Start repeats.
struct Request {
    // NOLINTBEGIN(readability-redundant-member-init): g++ warns without
    std::vector<OperationPointer> active = {};
    Parameters prepared = {};                ///< parameters of a persistent request, without requests
    std::vector<std::uint64_t> counts = {};  ///< counts of a persistent request
    // NOLINTEND(readability-redundant-member-init)
    bool cancelled = false;
};

/// A call that owns its lists.
struct Held {
    RankCall call;
    std::vector<std::int32_t> requests;
    std::vector<Completion> completed;
    std::vector<std::uint64_t> counts;

    Held(std::size_t stream, const TracedCall& times, const Parameters& parameters)
        : requests(parameters.requests.begin(), parameters.requests.end()),
          completed(parameters.completed.begin(), parameters.completed.end()),
          counts(parameters.counts.begin(), parameters.counts.end()) {
        call.stream = stream;
        call.call = times;
        call.parameters = parameters;
        call.parameters.requests = requests;
        call.parameters.completed = completed;
        call.parameters.counts = counts;
    }
};

}  // namespace

std::uint64_t message_id(const MessageKey& key) {
    std::uint64_t hash = 0;
    for (const std::uint64_t part :
         {key.context, static_cast<std::uint64_t>(key.source), static_cast<std::uint64_t>(key.destination),
          static_cast<std::uint64_t>(key.tag), key.number}) {
        hash = splitmix((hash ^ part) + kGolden);
    }
    return hash;
}

struct RankCalls::Impl {
    const TraceJob& job;
    const Groups& groups;
    const TraceRank& rank;
    std::vector<std::pair<std::size_t, Cursor>> threads;  ///< each thread's cursor is at its next call
    std::deque<Held> held;
    bool returned = false;  ///< the first call has been returned
    std::unordered_map<std::int32_t, Request> requests;
    OpenReceives<OperationPointer> receives;
    /// next numbers by keys, in which the number itself is unused
    std::unordered_map<MessageKey, std::uint64_t, MessageKeyHash> numbers;
    std::uint64_t operations = 0;

    Impl(const TraceFile& trace, const Groups& all_groups, std::size_t index)
        : job(trace.job()), groups(all_groups), rank(trace.job().ranks[index]) {
        for (std::size_t i = 0; i < job.streams.size(); ++i) {
            if (job.streams[i].rank != rank.rank) continue;
            Cursor cursor = trace.cursor(i);
            if (cursor.next()) threads.emplace_back(i, std::move(cursor));
        }
    }

    bool next() {
        if (std::exchange(returned, false)) held.pop_front();
        while (held.empty() || !settled(held.front().call)) {
            if (held.size() >= kMostHeld) {
                give_up(held.front().call);
            } else if (!take()) {
                if (held.empty()) return false;
                give_up(held.front().call);
            }
        }
        returned = true;
        return true;
    }

    [[nodiscard]] bool settled(const RankCall& call) {
        if (receives.empty()) return true;
        const auto is_settled = [&](const auto& operation) { return receives.find(operation) == nullptr; };
        return std::ranges::all_of(call.began, is_settled) && std::ranges::all_of(call.completed, is_settled);
    }

    void give_up(const RankCall& call) {
        for (const OperationPointer& operation : call.began) forget(operation);
        for (const OperationPointer& operation : call.completed) forget(operation);
    }

    /// Drops a receive whose message will remain unknown, or that got none.
    void forget(const OperationPointer& operation) {
        if (!receives.erase(operation)) return;
        operation->known = false;
        number_known();
    }

    /// Completes a receive: a wildcard receive gets its source and its tag.
    void resolve(const OperationPointer& operation, std::int32_t source, std::int32_t tag) {
        auto* open_receive = receives.find(operation);
        if (open_receive == nullptr) return;
        open_receive->from.settle(source, tag);
        if (open_receive->from.source < 0 || open_receive->from.tag < 0) return forget(operation);
        number_known();
    }

    void number_known() {
        receives.close_known([&](const auto& receive) { number_receive(*receive.id, receive.from); });
    }

    void number_receive(Operation& receive, const Selector& from) {
        receive.key.source = groups.world_rank(*object(receive.parameters.object), from.source);
        receive.key.tag = from.tag;
        number(receive);
    }

    /// Reads the call that ends first, because requests pass between threads at the end of a call.
    bool take() {
        const auto first =
            std::ranges::min_element(threads, {}, [](const auto& thread) { return thread.second.call().end_ns; });
        if (first == threads.end()) return false;
        auto& [stream, cursor] = *first;
        Held& next = held.emplace_back(stream, cursor.call(), cursor.parameters());
        follow(next.call);
        if (!cursor.next()) threads.erase(first);
        return true;
    }

    void follow(RankCall& call) {
        const Parameters& p = call.parameters;
        switch (p.action) {
            case Action::receive:
                if (p.message >= 0) return receive_probed(call);
                [[fallthrough]];
            case Action::send:
            case Action::send_receive:
            case Action::collective:
            case Action::make_object:
            case Action::rma: return assign(call, begin(call, p));
            case Action::prepare_send:
            case Action::prepare_receive:
            case Action::prepare_collective: return prepare(p);
            case Action::start:
                for (const std::int32_t number : p.requests) start(call, number);
                return;
            case Action::probe:
                if (p.found && p.request >= 0) probe(call);
                return;
            case Action::complete:
                return each_completed(p.requests, p.completed, [&](std::int32_t number, const Completion& completion) {
                    complete(call, number, completion);
                });
            case Action::cancel:
                for (const std::int32_t number : p.requests) requests[number].cancelled = true;
                return;
            case Action::free_request:
                for (const std::int32_t number : p.requests) requests.erase(number);
                return;
            default: return;
        }
    }

    /// Completes the operations that the call started, unless a request represents them.
    void assign(RankCall& call, std::vector<OperationPointer> started) {
        const Parameters& p = call.parameters;
        if (p.request >= 0) {
            requests[p.request] = {.active = std::move(started)};
            return;
        }
        for (const OperationPointer& operation : started) {
            resolve(operation, p.matched_source, p.matched_tag);
            call.completed.push_back(operation);
        }
    }

    std::vector<OperationPointer> begin(RankCall& call, const Parameters& p) {
        std::vector<OperationPointer> started;
        switch (p.action) {
            case Action::send:
            case Action::prepare_send: started = {send(call, p)}; break;
            case Action::receive:
            case Action::prepare_receive: started = {receive(call, p)}; break;
            case Action::send_receive: started = {send(call, p), receive(call, p)}; break;
            case Action::rma: started = {operation(call, p, Operation::Kind::other)}; break;
            default: started = {collective(call, p)};
        }
        call.began.insert(call.began.end(), started.begin(), started.end());
        return started;
    }

    void prepare(const Parameters& p) {
        Request& request = requests[p.request] = {.prepared = p, .counts = {p.counts.begin(), p.counts.end()}};
        request.prepared.requests = {};
        request.prepared.completed = {};
        request.prepared.counts = request.counts;
    }

    void start(RankCall& call, std::int32_t number) {
        const auto entry = requests.find(number);
        if (entry != requests.end()) entry->second.active = begin(call, entry->second.prepared);
    }

    /// A matched probe is the receive of its message.
    void probe(RankCall& call) {
        const Parameters& p = call.parameters;
        OperationPointer matched_receive = receive(call, p);
        resolve(matched_receive, p.matched_source, p.matched_tag);
        requests[p.request] = {.active = {std::move(matched_receive)}};
    }

    void receive_probed(RankCall& call) {
        const auto probed = requests.extract(call.parameters.message);
        if (probed.empty()) return assign(call, {});
        for (const OperationPointer& operation : probed.mapped().active) {
            operation->bytes = call.parameters.posted;
            operation->begin_ns = call.call.begin_ns;
        }
        call.began = probed.mapped().active;
        assign(call, probed.mapped().active);
    }

    void complete(RankCall& call, std::int32_t number, const Completion& completion) {
        const auto entry = requests.find(number);
        if (entry == requests.end()) return;
        Request& request = entry->second;
        for (const OperationPointer& operation : request.active) {
            const bool nothing = request.cancelled && completion.source < 0;
            if (nothing)
                forget(operation);
            else
                resolve(operation, completion.source, completion.tag);
            call.completed.push_back(operation);
        }
        request.active.clear();
        if (request.prepared.action == Action::none) requests.erase(entry);
    }

    OperationPointer operation(const RankCall& call, const Parameters& p, Operation::Kind kind) {
        auto result = std::make_shared<Operation>();
        result->kind = kind;
        result->id = operations++;
        result->thread = job.streams[call.stream].thread;
        result->begin_ns = call.call.begin_ns;
        result->parameters = p;
        result->counts.assign(p.counts.begin(), p.counts.end());
        result->parameters.counts = result->counts;
        result->parameters.requests = {};
        result->parameters.completed = {};
        return result;
    }

    /// The job's index of an object; null if there is none.
    [[nodiscard]] const std::uint32_t* object(std::int32_t number) const { return numbered(rank.objects, number); }

    OperationPointer send(const RankCall& call, const Parameters& p) {
        const auto* over = object(p.object);
        const std::int64_t destination = over != nullptr ? groups.world_rank(*over, p.peer) : kUnknown;
        OperationPointer result = operation(call, p, destination < 0 ? Operation::Kind::other : Operation::Kind::send);
        result->bytes = p.bytes;
        if (over != nullptr && destination >= 0) {
            result->key = {
                .context = job.objects[*over].context, .source = rank.rank, .destination = destination, .tag = p.tag};
            number(*result);
        }
        return result;
    }

    OperationPointer receive(const RankCall& call, const Parameters& p) {
        const auto* over = object(p.object);
        const bool any = p.source == kAny;
        const bool nothing = over == nullptr || (!any && groups.world_rank(*over, p.source) < 0);
        OperationPointer result = operation(call, p, nothing ? Operation::Kind::other : Operation::Kind::receive);
        result->bytes = p.posted;
        if (nothing) return result;
        result->key = {
            .context = job.objects[*over].context, .source = kAny, .destination = rank.rank, .tag = p.source_tag};
        const Selector from{.source = p.source, .tag = p.source_tag};
        if (!receives.post({.id = result, .context = result->key.context, .from = from})) number_receive(*result, from);
        return result;
    }

    OperationPointer collective(const RankCall& call, const Parameters& p) {
        const auto* over = object(p.object);
        OperationPointer result =
            operation(call, p, over != nullptr ? Operation::Kind::collective : Operation::Kind::other);
        result->bytes = p.bytes;
        if (over != nullptr) {
            result->key.context = job.objects[*over].context;
            number(*result);
        }
        return result;
    }

    void number(Operation& operation) {
        MessageKey channel = operation.key;
        channel.number = 0;
        operation.key.number = numbers[channel]++;
        operation.known = true;
    }
};

RankCalls::RankCalls(const TraceFile& trace, const Groups& groups, std::size_t rank)
    : impl_(std::make_unique<Impl>(trace, groups, rank)) {}
RankCalls::RankCalls(RankCalls&&) noexcept = default;
RankCalls::~RankCalls() = default;

bool RankCalls::next() { return impl_->next(); }

const RankCall& RankCalls::call() const { return impl_->held.front().call; }

JobCalls::JobCalls(const TraceFile& trace, const Groups& groups) {
    ranks_.reserve(trace.job().ranks.size());
    for (std::size_t i = 0; i < trace.job().ranks.size(); ++i) {
        ranks_.emplace_back(trace, groups, i);
        advance(i);
    }
}

bool JobCalls::next() {
    if (std::exchange(started_, true)) advance(rank_);
    if (turns_.empty()) return false;
    std::ranges::pop_heap(turns_, std::greater{});
    rank_ = turns_.back().second;
    turns_.pop_back();
    return true;
}

void JobCalls::advance(std::size_t rank) {
    if (!ranks_[rank].next()) return;
    turns_.emplace_back(ranks_[rank].call().call.end_ns, rank);
    std::ranges::push_heap(turns_, std::greater{});
}

}  // namespace waywiser::mpi
