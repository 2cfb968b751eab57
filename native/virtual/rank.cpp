#include "virtual/rank.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json_lines.hpp"
#include "profile/process/clock.hpp"

namespace waywiser::virtual_clocks {

using trace::Action;

namespace {

/// Time between two polls that is not computation of the program: of polls in quick succession, only one in eight is
/// reported (native/profile/calls/polls.cpp).
constexpr double kBetweenPolls_ns = 4000;
constexpr std::uint64_t kRatePeriod_ns = 50'000'000;
constexpr std::int32_t kWorld = 0;
constexpr std::int32_t kSelf = 1;

/// A number for this host; two hosts share it with a probability of 2^-31.
int node_number() {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    std::uint32_t hash = 2166136261U;  // This is the FNV-1a hash.
    for (const char* c = name; *c != '\0'; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 16777619U;
    return static_cast<int>(hash >> 1U);
}

/// Rules by which the MPI library selects the algorithms of collectives.
Rules rules_of(const profile::ListenerServices& services) {
    char text[profile::kLibraryVersionBytes] = {};
    int length = 0;
    const auto ask = reinterpret_cast<int (*)(char*, int*)>(services.find("PMPI_Get_library_version"));
    if (ask == nullptr || ask(text, &length) != 0) return std::nullopt;
    return collectives::rules_of(text);
}

}  // namespace

Rank::Rank(const profile::ListenerServices& services, Settings settings, bool can_report)
    : services_(services), settings_(std::move(settings)), calibration_(services.begin) {
    if (!mpi_.take(services)) return;  // The result is the same on all ranks.
    rules_ = rules_of(services);
    Handle world = reinterpret_cast<Handle>(services.library->comm_world);
    services.library->comm_rank(world, &world_rank_);
    if (can_report) node_ = settings_.ranks_per_node > 0 ? world_rank_ / settings_.ranks_per_node : node_number();
    auto of_world = make_shadow(world);
    follows_ = true;
    for (int rank = 0; rank < of_world->size(); ++rank) follows_ = follows_ && of_world->node_of(rank) >= 0;
    shadows_[kWorld] = std::move(of_world);
    shadows_[kSelf] = make_shadow(reinterpret_cast<Handle>(services.library->constants.comm_self));
    if (!rules_) remark("whose algorithms the MPI library uses is not known: the first of the table are simulated");
    begin_ticks_ = profile::ticks();
    exit_ticks_ = begin_ticks_;
}

double Rank::ns_of(std::uint64_t ticks) {
    const std::uint64_t now = profile::ticks();
    if (ns_per_tick_ == 1 || now - calibration_.ticks > about_ticks(kRatePeriod_ns)) {
        calibration_ = profile::calibrate();
        const std::uint64_t passed = calibration_.ticks - services_.begin.ticks;
        if (passed > 0) {
            ns_per_tick_ = static_cast<double>(calibration_.monotonic_ns - services_.begin.monotonic_ns) /
                           static_cast<double>(passed);
        }
    }
    return static_cast<double>(ticks) * ns_per_tick_;
}

/// Consecutive calls of several threads count as calls of one thread; between calls that overlap, computation time is
/// undefined.
void Rank::enter(std::uint64_t begin) {
    const pthread_t caller = pthread_self();
    const bool other_thread = pthread_equal(caller, thread_) == 0;
    if (other_thread && (early_ || begin < exit_ticks_)) lose("several threads of a rank have called MPI at once");
    thread_ = caller;
}

/// Adds the program's computation up to `until`.
void Rank::pass(std::uint64_t until) {
    const double ns = until > exit_ticks_ ? ns_of(until - exit_ticks_) : 0;
    if (!polled_ || ns > kBetweenPolls_ns) clock_.compute(ns / settings_.cpu);
    polled_ = false;
}

const machine::Messages& Rank::costs(const ShadowCommunicator& over, int peer) const {
    return node_ == over.node_of(peer) ? settings_.within : settings_.between;
}

Charges Rank::charges(const ShadowCommunicator& over) const {
    return [&](int from, int to, std::uint64_t bytes) {
        const bool within = over.node_of(from) == over.node_of(to);
        return (within ? settings_.within : settings_.between).charge(bytes);
    };
}

std::shared_ptr<ShadowCommunicator> Rank::shadow(std::int32_t object) {
    const auto entry = shadows_.find(object);
    if (entry != shadows_.end()) return entry->second;
    remark("calls over communicators or windows that clocks do not follow are left out");
    return nullptr;
}

std::vector<std::int64_t> Rank::list(std::uint32_t number) const {
    std::vector<std::int64_t> values(services_.read_list(number, nullptr, 0));
    services_.read_list(number, values.data(), values.size());
    return values;
}

/// A list of ranks or requests, as 32-bit numbers.
std::vector<std::int32_t> Rank::numbers(std::uint32_t number) const {
    const std::vector<std::int64_t> wide = list(number);
    return {wide.begin(), wide.end()};
}

void Rank::add(std::int32_t number, std::shared_ptr<ShadowCommunicator> created) {
    if (number >= 0) shadows_[number] = std::move(created);
}

/// True if the call failed, so that its effect on messages is unknown.
bool Rank::has_failed(const TraceKey& key, const Function& function) const {
    constexpr std::array kMessages{"Send", "Bsend", "Ssend", "Rsend", "Recv", "Mrecv", "Sendrecv", "Sendrecv_replace"};
    if (early_) return static_cast<Action>(key.action) != Action::send_receive;
    if (static_cast<Action>(key.action) != Action::none) return false;
    return function.collective || std::ranges::find(kMessages, function.operation) != kMessages.end();
}

Collective Rank::collective_of(const TraceKey& key, const Function& function) const {
    Collective created{.kind = function.collective.value_or(collectives::Collective::barrier),
                       .operation = function.operation,
                       .root = key.peer,
                       .sent = key.bytes,
                       .posted = key.posted,
                       .shares = {}};
    if (function.role.role == mpi::Role::make_object || function.role.role == mpi::Role::fence) return created;
    for (const std::int64_t share : list(key.counts)) created.shares.push_back(static_cast<std::uint64_t>(share));
    return created;
}

void Rank::collective(const TraceKey& key, const Function& function, double taken_ns) {
    const std::shared_ptr<ShadowCommunicator> over = shadow(key.object);
    if (over == nullptr) return clock_.busy(taken_ns);
    if (over->between_groups() || function.role.role == mpi::Role::neighbours) {
        remark("collectives of neighbours, and between two groups, take as long as here and wait for nobody");
        return clock_.busy(taken_ns);
    }
    Collective call = collective_of(key, function);
    if (call.kind == collectives::Collective::alltoall &&
        call.shares.size() == static_cast<std::size_t>(over->size())) {
        call.shares = collectives::by_distance(call.shares, over->rank());
    }
    if (key.request < 0) return simulate(clock_, *over, charges(*over), rules_, call);
    if (!call.shares.empty() && call.kind == collectives::Collective::alltoall)
        remark("an alltoall that is not blocking has messages of each rank's mean length");
    Request& created = request(key.request);
    created.over = over;
    created.collective = std::move(call);
    created.starts = over->gather_starts(
        {.now_ns = clock_.now_ns, .nic_ns = clock_.nic_ns, .sent = key.bytes, .posted = key.posted});
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
            Request& created = request(key.request);
            created = {};
            created.prepared = key;
            return;
        }
        case Action::start: return start(key);
        case Action::complete: return complete(key);
        case Action::free_request:
            for (const std::int32_t number : numbers(key.requests)) requests_.erase(number);
            return;
        case Action::cancel: return cancel(key);
        case Action::probe: return probe(key);
        case Action::collective: return collective(key, function, taken_ns);
        case Action::make_object:
        case Action::free_object: {
            if (function.name.starts_with("MPI_Win") && key.created >= 0) make_window(key);
            if (function.role.role == mpi::Role::none || !shadows_.contains(key.object)) {
                clock_.busy(taken_ns);
            } else {
                collective(key, function, taken_ns);
            }
            if (static_cast<Action>(key.action) == Action::free_object) {
                shadows_.erase(key.object);
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
        function.operation = mpi::operation_of(function.name);
        function.role = mpi::call_role(function.name);
        function.collective = collectives::collective_of(function.operation);
    }
    calling_ = key.function;
    const auto action = static_cast<Action>(key.action);
    if (!early_) pass(begin);
    if (mpi::may_poll(action, function.role) && key.found == 0 &&
        (action != Action::complete || (key.requests != 0 && key.completed == 0))) {
        polled_ = true;
    } else {
        if (has_failed(key, function)) {
            lose(kFailed);
            early_.reset();
        }
        if (settles_locks(key, function)) settle_locks(*shadows_.at(key.object));
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

/// Ends the clocks when all ranks meet in MPI_Finalize.
void Rank::close(std::uint64_t begin) {
    pass(begin);
    end_ticks_ = begin;
    const std::shared_ptr<ShadowCommunicator> world = shadow(kWorld);
    simulate(clock_, *world, charges(*world), rules_, {});
}

std::string Rank::report() const {
    std::vector<JsonObject> functions;
    for (const Function& function : functions_) {
        if (function.calls == 0) continue;
        functions.push_back(JsonObject()
                                .add("name", function.name)
                                .add("calls", function.calls)
                                .add("ns", function.ns)
                                .add("waiting_ns", function.waiting_ns)
                                .add("transfer_ns", function.transfer_ns));
    }
    JsonObject remarks;
    for (const auto& [text, times] : remarks_) remarks.add(text, times);
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
