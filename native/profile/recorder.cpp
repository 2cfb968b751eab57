#include "profile/recorder.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "profile/process.hpp"

namespace waywiser::profile {

constinit std::atomic<std::uint64_t> next_sample_ticks = 0;
constinit void* next_calls[kCalls] = {};

namespace {

constexpr std::uint64_t kSamplePeriod_ns = 100'000'000;
constexpr std::uint64_t kRateKnownAfter_ns = 1'000'000;
constexpr std::uint64_t kFirstPeriod_ticks = 1'000'000;
constexpr std::uint32_t kThreadsApart = 64;

constinit StateFile state_file;
constinit std::atomic<bool> recording = false;
constinit std::atomic<bool> opened = false;
constinit std::atomic_flag sampling;
constinit std::uint64_t communicator_generation = 1;
constinit std::uint32_t thread_count = 0;
constinit ThreadState* free_threads = nullptr;
constinit pthread_mutex_t slow_path = PTHREAD_MUTEX_INITIALIZER;
constinit pthread_key_t at_thread_exit{};

// initial-exec: a preloaded library's thread-local storage is reserved at start-up, and reading it
// needs no call.
__attribute__((tls_model("initial-exec"))) constinit thread_local ThreadState* self = nullptr;

struct SlowPath {
    SlowPath() { pthread_mutex_lock(&slow_path); }
    ~SlowPath() { pthread_mutex_unlock(&slow_path); }
    SlowPath(const SlowPath&) = delete;
    SlowPath& operator=(const SlowPath&) = delete;
};

void* zeroed_pages(std::size_t bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? nullptr : at;
}

/// The tables of threads that have ended serve later ones once there are many, so that a program
/// with short-lived threads does not fill the memory.
void release_thread(void* thread) {
    const SlowPath lock;
    auto* ended = static_cast<ThreadState*>(thread);
    ended->outermost = nullptr;
    ended->where->current = 0;
    ended->next_free = free_threads;
    free_threads = ended;
    self = nullptr;
}

/// The child of a fork shares the mapped state; it must not write there.
void stop_in_child() {
    recording = false;
    self = nullptr;
}

bool open_state() {
    const char* run = std::getenv("WAYWISER_RUN");
    if (run == nullptr || !state_file.open(std::getenv("WAYWISER_STATE"))) return false;
    state::Header& header = *state_file.header();
    header.pid = static_cast<std::uint32_t>(getpid());
    header.process_start = start_of(getpid());
    header.world_rank = -1;
    header.begin = calibrate();
    header.end = header.begin;
    header.usage_begin = process_usage();
    header.usage_end = header.usage_begin;
    describe_process(header);
    pthread_atfork(nullptr, nullptr, stop_in_child);
    return pthread_key_create(&at_thread_exit, release_thread) == 0;
}

ThreadState* new_thread() {
    auto* thread = static_cast<ThreadState*>(zeroed_pages(sizeof(ThreadState)));
    if (thread == nullptr) return nullptr;
    thread->where = static_cast<state::ThreadRecord*>(state_file.allocate(sizeof(state::ThreadRecord)));
    if (thread->where == nullptr) {
        munmap(thread, sizeof(ThreadState));
        return nullptr;
    }
    thread->index = thread_count++;
    thread->where->header.thread = thread->index;
    StateFile::publish(thread->where->header, state::Kind::thread);
    return thread;
}

ThreadState* attach_thread() {
    const SlowPath lock;
    if (!opened) {
        recording = open_state();
        opened = true;  // last: what is opened and not recording is never asked again
    }
    if (!recording) return nullptr;
    if (free_threads != nullptr && thread_count >= kThreadsApart) {
        self = free_threads;
        free_threads = self->next_free;
    } else {
        self = new_thread();
    }
    if (self != nullptr) pthread_setspecific(at_thread_exit, self);
    return self;
}

std::size_t slot_of(long world_rank, std::size_t table_size) {
    // Fibonacci hashing: Knuth, TAOCP vol. 3, section 6.4; table_size is a power of two.
    return static_cast<std::size_t>(static_cast<std::uint64_t>(world_rank) * 0x9e3779b97f4a7c15U >> 32U) &
           (table_size - 1);
}

state::Partner** find_slot(state::Partner** table, std::size_t size, long world_rank) {
    std::size_t i = slot_of(world_rank, size);
    while (table[i] != nullptr && table[i]->world_rank != world_rank) i = (i + 1) & (size - 1);
    return &table[i];
}

bool grow_partner_table(ThreadState& thread) {
    const std::size_t size = thread.table_size == 0 ? 512 : 2 * thread.table_size;
    auto* table = static_cast<state::Partner**>(zeroed_pages(size * sizeof(state::Partner*)));
    if (table == nullptr) return false;
    for (std::size_t i = 0; i < thread.table_size; ++i) {
        if (state::Partner* partner = thread.by_world_rank[i]) *find_slot(table, size, partner->world_rank) = partner;
    }
    if (thread.by_world_rank != nullptr)
        munmap(static_cast<void*>(thread.by_world_rank), thread.table_size * sizeof(state::Partner*));
    thread.by_world_rank = table;
    thread.table_size = size;
    return true;
}

state::Partner* new_partner(ThreadState& thread, long world_rank) {
    state::PartnersRecord* block = thread.partners;
    if (block == nullptr || block->used == std::size(block->partners)) {
        const SlowPath lock;
        block = static_cast<state::PartnersRecord*>(state_file.allocate(sizeof(state::PartnersRecord)));
        if (block == nullptr) return nullptr;
        block->header.thread = thread.index;
        StateFile::publish(block->header, state::Kind::partners);
        thread.partners = block;
    }
    state::Partner* partner = &block->partners[block->used];
    partner->world_rank = world_rank;
    __atomic_store_n(&block->used, block->used + 1, __ATOMIC_RELEASE);
    return partner;
}

state::Partner* partner_of(ThreadState& thread, long world_rank) {
    if (2 * (thread.partner_count + 1) > thread.table_size && !grow_partner_table(thread)) return nullptr;
    state::Partner** slot = find_slot(thread.by_world_rank, thread.table_size, world_rank);
    if (*slot == nullptr) {
        *slot = new_partner(thread, world_rank);
        if (*slot != nullptr) ++thread.partner_count;
    }
    return *slot;
}

void count_unrecorded() { __atomic_fetch_add(&state_file.header()->unrecorded_calls, 1, __ATOMIC_RELAXED); }

/// \return the rank in MPI_COMM_WORLD of a rank of `comm`, -1 if that process is not in it
int world_rank_of(Handle comm, int rank) {
    if (library.key(comm) == library.comm_world) return rank;
    Handle group = nullptr;
    const auto ask = payload::is_intercommunicator(comm) ? library.comm_remote_group : library.comm_group;
    if (ask(comm, &group) != 0) return -1;
    int world_rank = -1;
    const int result = library.group_translate_ranks(group, 1, &rank, library.world_group, &world_rank);
    library.group_free(&group);
    return result == 0 && world_rank >= 0 && world_rank < library.world_size ? world_rank : -1;
}

}  // namespace

ThreadState* this_thread() {
    if (__builtin_expect(self != nullptr, 1)) return self;
    return opened && !recording ? nullptr : attach_thread();
}

state::FunctionRecord* function_record(ThreadState& thread, Id id) {
    const SlowPath lock;
    auto* record = static_cast<state::FunctionRecord*>(state_file.allocate(sizeof(state::FunctionRecord)));
    if (record == nullptr) {
        count_unrecorded();
        return nullptr;
    }
    record->header.thread = thread.index;
    record->id = static_cast<std::uint64_t>(id) + 1;
    std::strncpy(record->name, kCallNames[static_cast<std::size_t>(id)], sizeof record->name - 1);
    StateFile::publish(record->header, state::Kind::function);
    thread.functions[static_cast<std::size_t>(id)] = record;
    return record;
}

void count_message(ThreadState& thread, const Payload& message) {
    const std::uintptr_t comm = library.key(message.comm);
    const std::uint64_t generation = __atomic_load_n(&communicator_generation, __ATOMIC_RELAXED);
    const std::size_t slot = (comm >> 4U ^ comm ^ static_cast<std::size_t>(message.destination)) & (kPeerEntries - 1);
    PeerEntry& entry = thread.peers[slot];
    if (entry.comm != comm || entry.rank != message.destination || entry.generation != generation) {
        const int world_rank = world_rank_of(message.comm, message.destination);
        state::Partner* partner = world_rank < 0 ? nullptr : partner_of(thread, world_rank);
        if (world_rank >= 0 && partner == nullptr) {
            count_unrecorded();
            return;
        }
        entry = {.comm = comm, .generation = generation, .rank = message.destination, .partner = partner};
    }
    if (entry.partner != nullptr) {
        entry.partner->bytes += message.sent;
        entry.partner->messages += 1;
    } else {
        __atomic_fetch_add(&state_file.header()->outside_world_messages, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&state_file.header()->outside_world_bytes, message.sent, __ATOMIC_RELAXED);
    }
}

void name_in_world(Payload& payload) {
    if (!payload.to_one) return;
    payload.destination = world_rank_of(payload.comm, payload.destination);
    payload.comm = reinterpret_cast<Handle>(library.comm_world);
}

bool called_since(std::uint64_t ticks) { return self != nullptr && self->where->last_ticks > ticks; }

void forget_communicators() { __atomic_fetch_add(&communicator_generation, 1, __ATOMIC_RELAXED); }

StateFile* process_state() { return recording ? &state_file : nullptr; }

void sample_process() {
    // One thread at a time: the two halves of a calibration must be of one moment.
    if (!recording || sampling.test_and_set(std::memory_order_acquire)) return;
    state::Header& header = *state_file.header();
    header.end = calibrate();
    header.usage_end = process_usage();
    header.peak_memory_bytes = peak_memory_bytes();
    const std::uint64_t ticks_passed = header.end.ticks - header.begin.ticks;
    const std::uint64_t ns_passed = header.end.monotonic_ns - header.begin.monotonic_ns;
    const double ticks_per_ns = static_cast<double>(ticks_passed) / static_cast<double>(ns_passed);
    const bool known = ns_passed >= kRateKnownAfter_ns;
    const auto period = known ? static_cast<std::uint64_t>(ticks_per_ns * kSamplePeriod_ns) : kFirstPeriod_ticks;
    next_sample_ticks.store(header.end.ticks + period, std::memory_order_relaxed);
    sampling.clear(std::memory_order_release);
}

void* resolve_next(Id id) {
    void* next = next_definition(kCallNames[static_cast<std::size_t>(id)]);
    next_calls[static_cast<std::size_t>(id)] = next;
    return next;
}

}  // namespace waywiser::profile
