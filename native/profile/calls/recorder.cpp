#include "profile/calls/recorder.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "profile/calls/callbacks.hpp"
#include "profile/exec/option_words.hpp"
#include "profile/openmp/openmp.hpp"
#include "profile/preload/slow_path.hpp"
#include "profile/process/counters.hpp"
#include "profile/process/process.hpp"
#include "profile/tracing/trace_window.hpp"

namespace waywiser::profile {

constinit std::atomic<std::uint64_t> next_sample_ticks = 0;
constinit Options options{};
__attribute__((tls_model("initial-exec"))) constinit thread_local ThreadState* self = nullptr;
__attribute__((tls_model("initial-exec"))) constinit thread_local int locks_held = 0;
constinit std::atomic<bool> mpi_is_up = false;
constinit pthread_mutex_t slow_path = PTHREAD_MUTEX_INITIALIZER;
constinit std::uint64_t communicator_generation = 1;

namespace {

constexpr std::uint64_t kSamplePeriod_ns = 100'000'000;
constexpr std::uint64_t kRateKnownAfter_ns = 1'000'000;
constexpr std::uint64_t kFirstPeriod_ns = 500'000;
constexpr std::uint32_t kThreadsApart = 64;

constinit StateFile state_file;
constinit std::atomic<bool> recording = false;
constinit std::atomic<bool> opened = false;
constinit std::atomic_flag sampling;
constinit std::uint32_t thread_count = 0;
constinit ThreadState* free_threads = nullptr;
constinit bool reports_calls = false;  ///< calls are reported to a trace or to a listener
constinit pthread_key_t at_thread_exit{};

/// Once many threads have ended, their tables are reused, so that a program with short-lived threads does not exhaust
/// memory.
void release_thread(void* thread) {
    const Locked lock(slow_path);
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
    if (self != nullptr) pthread_setspecific(at_thread_exit, nullptr);
    mpi_is_up = false;
    self = nullptr;
    stop_openmp();
}

void read_options() {
    find_listener();
    const char* text = std::getenv("WAYWISER_OPTIONS");
    if (text == nullptr) return;
    each_option(text, [](std::string_view name, const char* value) {
        options.split_sync |= name == "split-sync";
        options.sharing |= name == "sharing";
        options.call_sites |= name == "callsites";
        options.posix_io |= name == "posix-io";
        if (!name.starts_with("trace")) return;
        options.trace = true;
        read_trace_option(name, value);
    });
}

bool open_state() {
    read_options();
    const char* run = std::getenv("WAYWISER_RUN");
    if (run == nullptr || !state_file.open(std::getenv("WAYWISER_STATE"))) return false;
    state::Header& header = *state_file.header();
    header.pid = static_cast<std::uint32_t>(getpid());
    header.process_start = start_of(getpid());
    header.world_rank = -1;
    header.begin = calibrate();
    header.begin_unix_ns = unix_ns_at(header.begin);
    header.end = header.begin;
    state_file.announce();
    header.split_sync = options.split_sync ? 1 : 0;
    open_counters(header);
    sample_metrics(header.metrics_begin);
    header.metrics_end = header.metrics_begin;
    describe_process(header);
    reports_calls = (options.trace || listener != nullptr) && open_trace(run, header);
    options.trace = options.trace && reports_calls;
    pthread_atfork(nullptr, nullptr, stop_in_child);
    return pthread_key_create(&at_thread_exit, release_thread) == 0;
}

ThreadState* new_thread() {
    auto* thread = static_cast<ThreadState*>(zeroed_pages(sizeof(ThreadState)));
    if (thread == nullptr) return nullptr;
    thread->where = state_file.allocate<state::ThreadRecord>();
    if (thread->where == nullptr) {
        munmap(thread, sizeof(ThreadState));
        return nullptr;
    }
    thread->index = thread_count++;
    thread->functions_of[0] = thread->functions_of_first_phase;
    thread->functions = thread->functions_of_first_phase;
    thread->where->first_ticks = ticks();
    thread->where->header.thread = thread->index;
    StateFile::publish(thread->where->header, state::Kind::thread);
    if (reports_calls) thread->tracer = open_tracer(thread->index, thread->where->first_ticks);
    return thread;
}

ThreadState* open_thread() {
    const Locked lock(slow_path);
    if (!opened) {
        recording = open_state();
        // This assignment comes last: once opened and not recording, the profiler is never opened again.
        opened = true;
    }
    if (!recording) return nullptr;
    if (free_threads != nullptr && thread_count >= kThreadsApart) {
        self = free_threads;
        free_threads = self->next_free;
    } else {
        self = new_thread();
    }
    if (self != nullptr) {
        self->first_of_process = syscall(SYS_gettid) == getpid();
        pthread_setspecific(at_thread_exit, self);
    }
    return self;
}

}  // namespace

void count_lost_list() { __atomic_fetch_add(&state_file.header()->lost_lists, 1, __ATOMIC_RELAXED); }

void count_other_object() { __atomic_fetch_add(&state_file.header()->other_objects, 1, __ATOMIC_RELAXED); }

void count_unrecorded() {
    std::uint64_t& calls = state_file.header()->metrics_end.at<"unrecorded_calls">();
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

void record_failed(Ended call) {
    add(call, 0, 0);
    if (call.thread.tracer != nullptr) keep(call, {});
}

ThreadState* attach_thread() { return opened && !recording ? nullptr : open_thread(); }

state::FunctionRecord* function_record(ThreadState& thread, Id id) {
    const Locked lock(slow_path);
    auto* record = state_file.allocate<state::FunctionRecord>();
    if (record == nullptr) {
        count_unrecorded();
        return nullptr;
    }
    record->header.thread = thread.index;
    record->id = static_cast<std::uint64_t>(id) + 1;
    copy_name(record->name, id);
    record->phase = phase_number(thread.phase);
    StateFile::publish(record->header, state::Kind::function);
    thread.functions[static_cast<std::size_t>(id)] = record;
    return record;
}

state::FunctionRecord* enter_within(ThreadState& thread, const void* caller, Id id) {
    if (locks_held > 0 || !called_by_program(caller)) return nullptr;
    state::FunctionRecord* record = thread.functions[static_cast<std::size_t>(id)];
    return record != nullptr ? record : function_record(thread, id);
}

int* scratch(int which, std::size_t n) {
    if (self == nullptr) return nullptr;
    Scratch& room = self->scratch[which];
    if (n <= room.size) return room.ints;
    auto* ints = static_cast<int*>(zeroed_pages(2 * n * sizeof(int)));
    if (ints == nullptr) return nullptr;
    if (room.ints != nullptr) munmap(room.ints, room.size * sizeof(int));
    room = {.ints = ints, .size = 2 * n};
    return ints;
}

bool called_since(std::uint64_t ticks) { return self != nullptr && self->where->last_ticks > ticks; }

bool inside_mpi() { return self != nullptr && self->outermost != nullptr; }

void forget_communicators() { __atomic_fetch_add(&communicator_generation, 1, __ATOMIC_RELAXED); }

StateFile* process_state() { return recording ? &state_file : nullptr; }

void sample_process() {
    // Only one thread at a time samples: both halves of a calibration must refer to the same moment.
    if (!recording || sampling.test_and_set(std::memory_order_acquire)) return;
    state::Header& header = *state_file.header();
    header.end = calibrate();
    sample_metrics(header.metrics_end);
    const std::uint64_t ticks_passed = header.end.ticks - header.begin.ticks;
    const std::uint64_t ns_passed = header.end.monotonic_ns - header.begin.monotonic_ns;
    const double ticks_per_ns = static_cast<double>(ticks_passed) / static_cast<double>(ns_passed);
    const bool known = ns_passed >= kRateKnownAfter_ns;
    const auto period =
        known ? static_cast<std::uint64_t>(ticks_per_ns * kSamplePeriod_ns) : about_ticks(kFirstPeriod_ns);
    set_window_ticks(header);
    next_sample_ticks.store(header.end.ticks + period, std::memory_order_relaxed);
    sampling.clear(std::memory_order_release);
}

}  // namespace waywiser::profile
