#include "virtual/rank.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json_lines.hpp"
#include "profile/clock.hpp"

namespace waywiser::virtual_clocks {

using trace::Action;

namespace {

/// Time between two polls that is none of the program's: of polls that come close upon each other only one of eight is
/// told (native/profile/polls.cpp).
constexpr double kBetweenPolls_ns = 4000;
constexpr const char* kFailed = "a call that passes messages has failed";
constexpr std::uint64_t kRatePeriod_ticks = 100'000'000;
constexpr std::int32_t kWorld = 0;
constexpr std::int32_t kSelf = 1;

/// A number of this host: two hosts have the same one time in 2^31.
int node_number() {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    std::uint32_t hash = 2166136261U;  // FNV-1a
    for (const char* c = name; *c != '\0'; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 16777619U;
    return static_cast<int>(hash >> 1U);
}

/// Whose algorithms the MPI library's collectives are.
Rules rules_of(const profile::FollowerServices& services) {
    char text[profile::kLibraryVersionBytes] = {};
    int length = 0;
    const auto ask = reinterpret_cast<int (*)(char*, int*)>(services.find("PMPI_Get_library_version"));
    if (ask == nullptr || ask(text, &length) != 0) return std::nullopt;
    return collectives::rules_of(text);
}

bool is_send(Action action) {
    return action == Action::send || action == Action::prepare_send || action == Action::send_receive;
}

machine::Protocol protocol_of(trace::SendMode mode) {
    if (mode == trace::SendMode::standard) return machine::Protocol::by_size;
    return mode == trace::SendMode::local ? machine::Protocol::eager : machine::Protocol::rendezvous;
}

bool is_receive(Action action) {
    return action == Action::receive || action == Action::prepare_receive || action == Action::send_receive;
}

}  // namespace

Rank::Rank(const profile::FollowerServices& services, Settings settings, bool can_follow)
    : services_(services), settings_(std::move(settings)), calibration_(services.begin) {
    if (!mpi_.take(services)) return;  // alike on all ranks
    rules_ = rules_of(services);
    Handle world = reinterpret_cast<Handle>(services.library->comm_world);
    services.library->comm_rank(world, &world_rank_);
    if (can_follow) node_ = settings_.ranks_per_node > 0 ? world_rank_ / settings_.ranks_per_node : node_number();
    auto of_world = accompany(world);
    follows_ = true;
    for (int rank = 0; rank < of_world->size(); ++rank) follows_ = follows_ && of_world->node_of(rank) >= 0;
    companions_[kWorld] = std::move(of_world);
    companions_[kSelf] = accompany(reinterpret_cast<Handle>(services.library->constants.comm_self));
    if (!rules_) remark("whose algorithms the MPI library uses is not known: the first of the table are played");
    begin_ticks_ = profile::ticks();
    exit_ticks_ = begin_ticks_;
}

double Rank::ns_of(std::uint64_t ticks) {
    const std::uint64_t now = profile::ticks();
    if (ns_per_tick_ == 1 || now - calibration_.ticks > kRatePeriod_ticks) {
        calibration_ = profile::calibrate();
        const std::uint64_t passed = calibration_.ticks - services_.begin.ticks;
        if (passed > 0) {
            ns_per_tick_ = static_cast<double>(calibration_.monotonic_ns - services_.begin.monotonic_ns) /
                           static_cast<double>(passed);
        }
    }
    return static_cast<double>(ticks) * ns_per_tick_;
}

/// Calls of several threads one after the other are as those of one; of calls that overlap none can be said to have
/// been computed between.
void Rank::enter(std::uint64_t begin) {
    const pthread_t caller = pthread_self();
    const bool another = pthread_equal(caller, thread_) == 0;
    if (another && (early_ || begin < exit_ticks_)) lose("several threads of a rank have called MPI at once");
    thread_ = caller;
}

/// The program has computed.
void Rank::pass(std::uint64_t until) {
    const double ns = until > exit_ticks_ ? ns_of(until - exit_ticks_) : 0;
    if (!polled_ || ns > kBetweenPolls_ns) clock_.compute(ns / settings_.cpu);
    polled_ = false;
}

const machine::Messages& Rank::costs(const Companion& over, int peer) const {
    return node_ == over.node_of(peer) ? settings_.within : settings_.between;
}

Charges Rank::charges(const Companion& over) const {
    return [&](int from, int to, std::uint64_t bytes) {
        const bool within = over.node_of(from) == over.node_of(to);
        return (within ? settings_.within : settings_.between).charge(bytes);
    };
}

std::shared_ptr<Companion> Rank::companion(std::int32_t object) {
    const auto found = companions_.find(object);
    if (found != companions_.end()) return found->second;
    remark("calls over communicators or windows that clocks do not follow are left out");
    return nullptr;
}

std::vector<std::int64_t> Rank::list(std::uint32_t number) const {
    std::vector<std::int64_t> values(services_.read_list(number, nullptr, 0));
    services_.read_list(number, values.data(), values.size());
    return values;
}

void Rank::add(std::int32_t number, std::shared_ptr<Companion> made) {
    if (number >= 0) companions_[number] = std::move(made);
}

double Rank::send_to(Companion& over, const TraceKey& key, trace::SendMode mode) {
    if (key.peer < 0) return 0;
    if (key.peer >= over.size() || key.tag < 0) {
        lose(kFailed);  // MPICH says so to the program's error handler alone
        return 0;
    }
    const machine::Charge charge = costs(over, key.peer).charge(key.bytes, protocol_of(mode));
    double left_ns = 0;
    Stamp stamp = send(clock_, charge, key.bytes, left_ns);
    stamp.tag = key.tag;
    over.send(key.peer, Companion::Kind::message, stamp);
    ++messages_;
    handshakes_ += static_cast<std::uint64_t>(stamp.handshake);
    return left_ns;
}

void Rank::take(Companion& over, const Receive& receive) {
    if (receive.source < 0 || receive.source >= over.size()) return;
    const Stamp stamp = over.take(receive);
    const machine::Charge charge =
        costs(over, receive.source)
            .charge(stamp.bytes, stamp.handshake != 0 ? machine::Protocol::rendezvous : machine::Protocol::by_size);
    senders_ns_ += virtual_clocks::receive(clock_, charge, stamp, receive.posted_ns);
}

void Rank::resolve(Companion& over, Receive& receive, std::int32_t source, std::int32_t tag) {
    if (source == trace::kUnknown || tag == trace::kUnknown) lose("where a receive's message came from is not known");
    if (receive.source == kAny) receive.source = source;
    if (receive.tag == kAny) receive.tag = tag;
    if (receive.source < 0) {  // MPI_PROC_NULL, or cancelled
        over.withdraw(receive);
    } else if (!over.resolve(receive, receive.source, receive.tag)) {
        remark("receives of any source or tag were completed in another order than they were posted");
    }
}

/// What a call that failed has done to messages is not known.
bool Rank::has_failed(const TraceKey& key, const Function& function) const {
    constexpr std::array kMessages{"Send", "Bsend", "Ssend", "Rsend", "Recv", "Mrecv", "Sendrecv", "Sendrecv_replace"};
    if (early_) return static_cast<Action>(key.action) != Action::send_receive;
    if (static_cast<Action>(key.action) != Action::none) return false;
    return function.collective || std::ranges::find(kMessages, function.operation) != kMessages.end();
}

/// Begins what the call says. \param request  keeps what is to be waited for
void Rank::post(const TraceKey& key, Request& request) {
    request.over = companion(key.object);
    if (request.over == nullptr) return;
    const auto action = static_cast<Action>(key.action);
    if (is_receive(action) && key.source != trace::kNobody) {
        request.receive = Receive{.source = key.source, .tag = key.source_tag, .posted_ns = clock_.now_ns};
        request.over->post(*request.receive);
    }
    if (is_send(action)) request.over_ns = send_to(*request.over, key, functions_[key.function - 1U].role.mode);
}

/// Waits for what a request began.
void Rank::finish(Request& request) {
    if (request.receive && request.receive->numbered) take(*request.over, *request.receive);
    request.receive.reset();
    if (request.starts != nullptr) {
        const auto starts = request.over->told(std::move(request.starts));
        if (!starts.empty()) {
            request.over_ns =
                play_alone(starts, request.over->rank(), charges(*request.over), rules_, request.collective);
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
    if (key.message < 0 && functions_[key.function - 1U].operation == "Mrecv") return;  // MPI_MESSAGE_NO_PROC
    if (key.message >= 0) {                                                             // a probe has taken it
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
        Request& made = request(key.request);
        made = {};
        return post(key, made);
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
    const std::vector<std::int64_t> given = list(key.requests);
    const std::vector<std::int64_t> done = list(key.completed);
    struct Done {
        std::int32_t number;
        Request* request;
        std::int32_t source;
        std::int32_t tag;
    };
    std::vector<Done> completed;
    for (std::size_t i = 0; i + 2 < done.size(); i += 3) {
        const auto index = static_cast<std::size_t>(done[i]);
        const auto number = index < given.size() ? static_cast<std::int32_t>(given[index]) : trace::kUnknown;
        const auto found = requests_.find(number);
        if (found == requests_.end()) continue;
        completed.push_back({.number = number,
                             .request = &found->second,
                             .source = static_cast<std::int32_t>(done[i + 1]),
                             .tag = static_cast<std::int32_t>(done[i + 2])});
    }
    // Messages come to receives in the order of their posting, whatever the order of the requests.
    std::vector<std::pair<Done*, Receive*>> open;
    for (Done& one : completed) {
        std::optional<Receive>& receive = one.request->receive;
        if (receive && !receive->numbered) open.emplace_back(&one, &*receive);
    }
    std::ranges::sort(open, {}, [](const auto& one) { return one.second->serial; });
    for (const auto& [one, receive] : open) resolve(*one->request->over, *receive, one->source, one->tag);
    for (const Done& one : completed) {
        finish(*one.request);
        if (!one.request->prepared) requests_.erase(one.number);
    }
}

void Rank::probe(const TraceKey& key) {
    remark("a probe ends at once: what follows it waits for the message");
    if (key.request < 0) return;
    Request& found = request(key.request);
    found = {};
    found.over = companion(key.object);
    if (found.over == nullptr) return;
    found.receive = Receive{.source = key.source, .tag = key.source_tag, .posted_ns = clock_.now_ns};
    found.over->post(*found.receive);
    resolve(*found.over, *found.receive, key.matched_source, key.matched_tag);
}

void Rank::cancel(const TraceKey& key) {
    for (const std::int64_t number : list(key.requests)) {
        const auto found = requests_.find(static_cast<std::int32_t>(number));
        if (found == requests_.end()) continue;
        std::optional<Receive>& receive = found->second.receive;
        if (!receive) {
            remark("a cancelled send is taken to have been received");
            continue;
        }
        remark("a cancelled receive is taken to have got no message");
        found->second.over->withdraw(*receive);
        receive.reset();
    }
}

void Rank::start(const TraceKey& key) {
    for (const std::int64_t number : list(key.requests)) {
        const auto found = requests_.find(static_cast<std::int32_t>(number));
        if (found == requests_.end()) continue;
        const auto& prepared = found->second.prepared;
        if (!prepared) continue;
        TraceKey posted = *prepared;
        if (static_cast<Action>(posted.action) == Action::prepare_collective) {
            posted.request = static_cast<std::int32_t>(number);
            collective(posted, functions_[posted.function - 1U], 0);
        } else {
            post(posted, found->second);
        }
    }
}

Collective Rank::collective_of(const TraceKey& key, const Function& function) const {
    Collective made{.kind = function.collective.value_or(collectives::Collective::barrier),
                    .operation = function.operation,
                    .root = key.peer,
                    .sent = key.bytes,
                    .posted = key.posted,
                    .shares = {}};
    if (function.role.role == trace::Role::make_object || function.role.role == trace::Role::fence) return made;
    for (const std::int64_t share : list(key.counts)) made.shares.push_back(static_cast<std::uint64_t>(share));
    return made;
}

void Rank::collective(const TraceKey& key, const Function& function, double taken_ns) {
    const std::shared_ptr<Companion> over = companion(key.object);
    if (over == nullptr) return clock_.busy(taken_ns);
    if (over->between_groups() || function.role.role == trace::Role::neighbours) {
        remark("collectives of neighbours, and between two groups, take as long as here and wait for nobody");
        return clock_.busy(taken_ns);
    }
    Collective call = collective_of(key, function);
    if (call.kind == collectives::Collective::alltoall &&
        call.shares.size() == static_cast<std::size_t>(over->size())) {
        call.shares = collectives::by_distance(call.shares, over->rank());
    }
    if (key.request < 0) return play(clock_, *over, charges(*over), rules_, call);
    if (!call.shares.empty() && call.kind == collectives::Collective::alltoall)
        remark("an alltoall that is not blocking has messages of each rank's mean length");
    Request& made = request(key.request);
    made.over = over;
    made.collective = std::move(call);
    made.starts =
        over->tell({.now_ns = clock_.now_ns, .card_ns = clock_.card_ns, .sent = key.bytes, .posted = key.posted});
}

void Rank::act(const TraceKey& key, const Function& function, double taken_ns) {
    switch (static_cast<Action>(key.action)) {
        case Action::send:
        case Action::receive:
        case Action::send_receive: return message(key);
        case Action::prepare_send:
        case Action::prepare_receive:
        case Action::prepare_collective: {
            if (key.request < 0) return;
            if (function.name.starts_with("MPI_P"))
                remark("a partitioned message is taken to leave when its request is started");
            Request& made = request(key.request);
            made = {};
            made.prepared = key;
            return;
        }
        case Action::start: return start(key);
        case Action::complete: return complete(key);
        case Action::free_request:
            for (const std::int64_t number : list(key.requests)) requests_.erase(static_cast<std::int32_t>(number));
            return;
        case Action::cancel: return cancel(key);
        case Action::probe: return probe(key);
        case Action::collective: return collective(key, function, taken_ns);
        case Action::make_object:
        case Action::free_object: {
            if (function.name.starts_with("MPI_Win") && key.created >= 0) make_window(key);
            if (function.role.role == trace::Role::none || !companions_.contains(key.object)) {
                clock_.busy(taken_ns);
            } else {
                collective(key, function, taken_ns);
            }
            if (static_cast<Action>(key.action) == Action::free_object) {
                companions_.erase(key.object);
                windows_.erase(key.object);
            }
            return;
        }
        case Action::rma: return operate(key);
        case Action::rma_sync: return synchronise(key, function, taken_ns);
        case Action::file:
        case Action::file_collective: remark("operations of files take as long as here"); [[fallthrough]];
        default: return clock_.busy(taken_ns);
    }
}

void Rank::call(const TraceKey& key, std::uint64_t begin, std::uint64_t end) {
    if (key.function == 0 || static_cast<Action>(key.action) == Action::initialise) return;
    enter(begin);
    while (functions_.size() < key.function) functions_.emplace_back();
    Function& function = functions_[key.function - 1U];
    if (function.name.empty()) {
        function.name = services_.call_names[key.function - 1U];
        function.operation = trace::operation_of(function.name);
        function.role = trace::call_role(function.name);
        function.collective = collectives::collective_of(function.operation);
    }
    const auto action = static_cast<Action>(key.action);
    if (!early_) pass(begin);
    const bool asks =
        action == Action::complete || action == Action::probe || function.role.epoch == trace::Epoch::wait;
    if (asks && key.found == 0 && (action != Action::complete || (key.requests != 0 && key.completed == 0))) {
        polled_ = true;
    } else {
        if (has_failed(key, function)) {
            lose(kFailed);
            early_.reset();
        }
        const Clock before = clock_;
        const double taken_ns = end > begin ? ns_of(end - begin) : 0;
        act(key, function, taken_ns);
        ++function.calls;
        function.ns += clock_.now_ns - before.now_ns;
        function.waiting_ns += clock_.waiting_ns - before.waiting_ns;
        function.transfer_ns += clock_.transfer_ns - before.transfer_ns;
    }
    exit_ticks_ = profile::ticks();
    if (exit_ticks_ > end) following_ticks_ += exit_ticks_ - end;
}

/// All ranks meet in MPI_Finalize.
void Rank::close(std::uint64_t begin) {
    pass(begin);
    end_ticks_ = begin;
    const std::shared_ptr<Companion> world = companion(kWorld);
    play(clock_, *world, charges(*world), rules_, {});
}

std::string Rank::report() const {
    std::vector<JsonObject> functions;
    for (const Function& one : functions_) {
        if (one.calls == 0) continue;
        functions.push_back(JsonObject()
                                .add("name", one.name)
                                .add("calls", one.calls)
                                .add("ns", one.ns)
                                .add("waiting_ns", one.waiting_ns)
                                .add("transfer_ns", one.transfer_ns));
    }
    JsonObject remarks;
    for (const auto& [what, times] : remarks_) remarks.add(what, times);
    const std::uint64_t ticks = end_ticks_ > begin_ticks_ ? end_ticks_ - begin_ticks_ : 0;
    return JsonObject()
        .add("rank", world_rank_)
        .add("lost", travels_.lost() ? travels_.reason() : "")
        .add("real_ns", static_cast<double>(ticks) * ns_per_tick_)
        .add("following_ns", static_cast<double>(following_ticks_) * ns_per_tick_)
        .add("end_ns", clock_.now_ns)
        .add("compute_ns", clock_.compute_ns)
        .add("waiting_ns", clock_.waiting_ns)
        .add("transfer_ns", clock_.transfer_ns)
        .add("overhead_ns", clock_.overhead_ns)
        .add("messages", messages_)
        .add("handshakes", handshakes_)
        .add("senders_ns", senders_ns_)
        .add("stamps", travels_.stamps)
        .add("stamp_bytes", travels_.bytes)
        .add("functions", std::span<const JsonObject>(functions))
        .add("remarks", remarks)
        .text();
}

}  // namespace waywiser::virtual_clocks
