#include "profile/openmp.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "profile/recorder.hpp"
#include "profile/slow_path.hpp"

namespace waywiser::profile {

namespace {

using state::OpenMpThread;

constexpr unsigned kBlocks = state::kOpenMpThreads / state::kOpenMpBlock;

constinit std::atomic<state::OpenMpRecord*> blocks[kBlocks] = {};
constinit std::atomic<bool> region_open = false;
constinit std::atomic<bool> ompt_serves = false;

/// The calling thread in the region that is counted.
struct Member {
    OpenMpThread* entry;  ///< null outside
    OpenMpThread before;  ///< the entry as it was when the region began
    std::uint64_t region_begin;
    std::uint64_t begin;
    std::uint64_t waited;
    std::uint64_t wait_begin;  ///< 0 while it works
    unsigned nested;           ///< regions that it has opened within the counted one
};

__attribute__((tls_model("initial-exec"))) constinit thread_local Member member{};

state::OpenMpRecord* new_block(unsigned index) {
    const Locked lock(slow_path);
    state::OpenMpRecord* block = blocks[index].load(std::memory_order_acquire);
    if (block != nullptr) return block;
    block = static_cast<state::OpenMpRecord*>(process_state()->allocate(sizeof(state::OpenMpRecord)));
    if (block == nullptr) return nullptr;
    block->first_thread = std::uint64_t{index} * state::kOpenMpBlock;
    StateFile::publish(block->header, state::Kind::openmp);
    blocks[index].store(block, std::memory_order_release);
    return block;
}

/// The counters of a thread number; null beyond those that are told apart, and without memory.
OpenMpThread* entry_of(unsigned thread) {
    if (thread >= state::kOpenMpThreads) return nullptr;
    state::OpenMpRecord* block = blocks[thread / state::kOpenMpBlock].load(std::memory_order_acquire);
    if (__builtin_expect(block == nullptr, 0)) block = new_block(thread / state::kOpenMpBlock);
    return block == nullptr ? nullptr : &block->threads[thread % state::kOpenMpBlock];
}

std::uint64_t difference(std::uint64_t later, std::uint64_t earlier) { return later > earlier ? later - earlier : 0; }

/// Opens a region, unless another is open.
/// \return the begin [ticks]; 0 if the region is not counted
std::uint64_t open_region() {
    if (!mpi_is_up.load(std::memory_order_relaxed) || member.entry != nullptr) return 0;
    if (region_open.exchange(true, std::memory_order_acquire)) return 0;
    return ticks();
}

/// The team's time is booked with its last thread: a thread was in the regions of all teams whose
/// last thread is not before it. So nobody has to write into the others' counters.
void close_region(std::uint64_t begin, unsigned team) {
    const std::uint64_t took = difference(ticks(), begin);
    const unsigned known = team < state::kOpenMpThreads ? team : state::kOpenMpThreads;
    if (OpenMpThread* last = known == 0 ? nullptr : entry_of(known - 1)) {
        last->teams += 1;
        last->team_ticks += took;
    }
    region_open.store(false, std::memory_order_release);
}

void join_region(std::uint64_t region_begin, unsigned thread) {
    member.entry = entry_of(thread);
    if (member.entry == nullptr) return;
    member.before = *member.entry;
    member.region_begin = region_begin;
    member.begin = ticks();
    member.waited = 0;
    member.wait_begin = 0;
    member.nested = 0;
}

/// Books the thread's part up to now as if its region ended here; a later call replaces it.
void book(std::uint64_t now) {
    const std::uint64_t inside = difference(now, member.begin);
    member.entry->regions = member.before.regions + 1;
    member.entry->busy_ticks = member.before.busy_ticks + difference(inside, member.waited);
    member.entry->barrier_ticks = member.before.barrier_ticks + member.waited;
    member.entry->present_ticks = member.before.present_ticks + difference(now, member.region_begin);
}

void begin_wait() {
    if (member.entry == nullptr || member.nested != 0) return;
    member.wait_begin = ticks();
    book(member.wait_begin);
}

void end_wait() {
    if (member.entry == nullptr || member.wait_begin == 0 || member.nested != 0) return;
    member.waited += difference(ticks(), member.wait_begin);
    member.wait_begin = 0;
}

void leave_region() {
    if (member.entry != nullptr) book(ticks());
    member.entry = nullptr;
}

void count_task() {
    if (member.entry != nullptr) member.entry->tasks += 1;
}

// libgomp -----------------------------------------------------------------------------------------

// clang-format off
#define WAYWISER_GOMP_CALLS(X)                                                                     \
    X(GOMP_parallel) X(GOMP_parallel_reductions) X(GOMP_parallel_sections)                         \
    X(GOMP_parallel_loop_static) X(GOMP_parallel_loop_dynamic) X(GOMP_parallel_loop_guided)        \
    X(GOMP_parallel_loop_runtime) X(GOMP_parallel_loop_nonmonotonic_dynamic)                       \
    X(GOMP_parallel_loop_nonmonotonic_guided) X(GOMP_parallel_loop_nonmonotonic_runtime)           \
    X(GOMP_parallel_loop_maybe_nonmonotonic_runtime)                                               \
    X(GOMP_barrier) X(GOMP_barrier_cancel) X(GOMP_loop_end) X(GOMP_loop_end_cancel)                \
    X(GOMP_sections_end) X(GOMP_sections_end_cancel) X(GOMP_single_copy_start)                     \
    X(GOMP_workshare_task_reduction_unregister) X(GOMP_task) X(GOMP_taskloop) X(GOMP_taskloop_ull) \
    X(omp_get_thread_num) X(omp_get_num_threads)
// clang-format on

enum class Gomp : unsigned {
#define X(name) name,
    WAYWISER_GOMP_CALLS(X)
#undef X
        count
};

constexpr const char* kGompNames[] = {
#define X(name) #name,
    WAYWISER_GOMP_CALLS(X)
#undef X
};
constexpr auto kGompCalls = static_cast<unsigned>(Gomp::count);

struct Runtime {
    void* calls[kGompCalls];
};

/// The runtime that a place in the program is bound to.
struct Binding {
    std::atomic<const void*> caller;
    Runtime* runtime;
};

constexpr unsigned kRuntimes = 8;
constexpr unsigned kBindings = 1024;

constinit std::atomic<Runtime*> global_runtime = nullptr;
constinit Runtime runtimes[kRuntimes] = {};
constinit unsigned runtime_count = 0;
constinit Binding bindings[kBindings] = {};

void find_calls(void* handle, Runtime& runtime) {
    for (unsigned i = 0; i < kGompCalls; ++i) runtime.calls[i] = dlsym(handle, kGompNames[i]);
}

/// What `caller`'s own file would have been bound to without the profiler: Python's extension
/// modules bring runtimes of their own, outside the global scope and several at once.
void find_private_calls(const void* caller, Runtime& runtime) {
    Dl_info file{};
    if (dladdr(caller, &file) == 0) return;
    void* handle = dlopen(file.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return;
    find_calls(handle, runtime);
    dlclose(handle);
}

/// One of the known runtimes with these calls, or a new one.
Runtime* known_runtime(const Runtime& found) {
    for (unsigned i = 0; i < runtime_count; ++i) {
        if (runtimes[i].calls[0] == found.calls[0]) return &runtimes[i];
    }
    if (runtime_count == kRuntimes) return nullptr;
    runtimes[runtime_count] = found;
    return &runtimes[runtime_count++];
}

std::size_t slot_of(const void* caller) { return (reinterpret_cast<std::uintptr_t>(caller) >> 2U) % kBindings; }

/// The loader's lock is taken before the slow path's, never within it.
void bind(Gomp call, const void* caller, Runtime& into) {
    Runtime found{};
    find_calls(RTLD_NEXT, found);
    const bool global = found.calls[static_cast<unsigned>(call)] != nullptr;
    if (!global) find_private_calls(caller, found);
    into = found;
    if (found.calls[static_cast<unsigned>(call)] == nullptr) return;
    const Locked lock(slow_path);
    Runtime* runtime = known_runtime(found);
    if (runtime == nullptr) return;
    if (global) global_runtime.store(runtime, std::memory_order_release);
    Binding& binding = bindings[slot_of(caller)];
    if (binding.caller.load(std::memory_order_relaxed) != nullptr) return;  // this place is looked up each time
    binding.runtime = runtime;
    binding.caller.store(caller, std::memory_order_release);
}

/// The calls that follow the profiler's for `caller`.
const Runtime& runtime_of(Gomp call, const void* caller, Runtime& scratch) {
    const Binding& binding = bindings[slot_of(caller)];
    if (binding.caller.load(std::memory_order_acquire) == caller) return *binding.runtime;
    if (const Runtime* runtime = global_runtime.load(std::memory_order_acquire)) return *runtime;
    bind(call, caller, scratch);
    return scratch;
}

template <class Function>
Function get(const Runtime& runtime, Gomp call) {
    return reinterpret_cast<Function>(runtime.calls[static_cast<unsigned>(call)]);
}

using Outlined = void (*)(void*);

/// What the team is given in place of the program's function and its data.
struct Region {
    void* reductions;  ///< GOMP_parallel_reductions reads the first word of the data
    Outlined function;
    void* data;
    int (*thread_number)();
    int (*team_size)();
    std::uint64_t begin;
    unsigned team;
};

void run_member(void* argument) {
    auto* region = static_cast<Region*>(argument);
    const auto thread = static_cast<unsigned>(region->thread_number());
    if (thread == 0) region->team = static_cast<unsigned>(region->team_size());
    join_region(region->begin, thread);
    region->function(region->data);
    leave_region();
}

/// The program's thread opens a region that is not counted: for the counted one that is work.
class Nested {
public:
    Nested() { member.nested += 1; }
    ~Nested() { member.nested -= 1; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
};

class Closing {
public:
    explicit Closing(const Region& region) : region_(region) {}
    ~Closing() { close_region(region_.begin, region_.team); }
    Closing(const Closing&) = delete;
    Closing& operator=(const Closing&) = delete;

private:
    const Region& region_;
};

/// Runs a region by the runtime's own entry point.
template <class Result, class... Rest>
Result run_region(Gomp call, const void* caller, Outlined function, void* data, Rest... rest) {
    Runtime scratch{};
    const Runtime& runtime = runtime_of(call, caller, scratch);
    const auto next = get<Result (*)(Outlined, void*, Rest...)>(runtime, call);
    const std::uint64_t begin = ompt_serves.load(std::memory_order_relaxed) ? 0 : open_region();
    if (begin == 0) {
        const Nested nested;
        return next(function, data, rest...);
    }
    Region region{.reductions = call == Gomp::GOMP_parallel_reductions ? *static_cast<void**>(data) : nullptr,
                  .function = function,
                  .data = data,
                  .thread_number = get<int (*)()>(runtime, Gomp::omp_get_thread_num),
                  .team_size = get<int (*)()>(runtime, Gomp::omp_get_num_threads),
                  .begin = begin,
                  .team = 0};
    const Closing closing(region);
    return next(run_member, &region, rest...);
}

/// Runs a call in which a thread waits for the others of its team.
template <class Result, class... Arguments>
Result run_wait(Gomp call, const void* caller, Arguments... arguments) {
    class Wait {
    public:
        Wait() { begin_wait(); }
        ~Wait() { end_wait(); }
    };
    Runtime scratch{};
    const auto next = get<Result (*)(Arguments...)>(runtime_of(call, caller, scratch), call);
    if (ompt_serves.load(std::memory_order_relaxed)) return next(arguments...);
    const Wait wait;
    return next(arguments...);
}

template <class... Arguments>
void run_task(Gomp call, const void* caller, Arguments... arguments) {
    Runtime scratch{};
    if (!ompt_serves.load(std::memory_order_relaxed)) count_task();
    get<void (*)(Arguments...)>(runtime_of(call, caller, scratch), call)(arguments...);
}

// OMPT --------------------------------------------------------------------------------------------

/// The part of omp-tools.h (OpenMP 5.1, chapter 4) that is needed.
namespace ompt {

union Data {
    std::uint64_t value;
    void* pointer;
};

using Function = void (*)();
using Lookup = Function (*)(const char*);
using SetCallback = int (*)(int, Function);

struct StartTool {
    int (*initialize)(Lookup, int, Data*);
    void (*finalize)(Data*);
    Data tool_data;
};

constexpr int kParallelBegin = 3;
constexpr int kParallelEnd = 4;
constexpr int kTaskCreate = 5;
constexpr int kImplicitTask = 7;
constexpr int kSyncRegionWait = 16;

constexpr int kScopeBegin = 1;
constexpr int kScopeEnd = 2;
constexpr int kTaskInitial = 1;
constexpr int kTaskExplicit = 4;
constexpr int kTaskwait = 5;
constexpr int kReduction = 7;

constinit unsigned team_of_region = 0;

void parallel_begin(Data*, const void*, Data* region, unsigned, int, const void*) {
    region->value = open_region();
    if (region->value == 0) member.nested += 1;
}

void parallel_end(Data* region, Data*, int, const void*) {
    if (region->value == 0) {
        member.nested -= 1;
    } else {
        close_region(region->value, team_of_region);
    }
}

/// A worker's implicit task ends late, when the next region needs the worker; its part was booked
/// when it came to the region's last barrier. Only a team of one has none.
void implicit_task(int endpoint, Data* region, Data* task, unsigned team, unsigned thread, int flags) {
    if ((flags & kTaskInitial) != 0) return;
    if (endpoint == kScopeBegin) {
        task->value = region != nullptr && region->value != 0 ? 1 : 0;
        if (task->value == 0) return;
        if (thread == 0) team_of_region = team;
        join_region(region->value, thread);
    } else if (endpoint == kScopeEnd && task->value != 0) {
        if (member.entry != nullptr && member.entry->regions == member.before.regions) book(ticks());
        member.entry = nullptr;
    }
}

void sync_region_wait(int kind, int endpoint, Data*, Data*, const void*) {
    if (kind >= kTaskwait && kind <= kReduction) return;
    if (endpoint == kScopeBegin) begin_wait();
    if (endpoint == kScopeEnd) end_wait();
}

void task_create(Data*, const void*, Data*, int flags, int, const void*) {
    if ((flags & kTaskExplicit) != 0) count_task();
}

int initialize(Lookup lookup, int, Data*) {
    const auto set = reinterpret_cast<SetCallback>(lookup("ompt_set_callback"));
    if (set == nullptr) return 0;
    set(kParallelBegin, reinterpret_cast<Function>(parallel_begin));
    set(kParallelEnd, reinterpret_cast<Function>(parallel_end));
    set(kImplicitTask, reinterpret_cast<Function>(implicit_task));
    set(kSyncRegionWait, reinterpret_cast<Function>(sync_region_wait));
    set(kTaskCreate, reinterpret_cast<Function>(task_create));
    ompt_serves = true;
    return 1;
}

void finalize(Data*) {}

constinit StartTool tool{.initialize = initialize, .finalize = finalize, .tool_data = {.value = 0}};

bool wanted() { return process_state() != nullptr || std::getenv("WAYWISER_RUN") != nullptr; }

bool user_names_tools() {
    const char* tools = std::getenv("OMP_TOOL_LIBRARIES");
    return tools != nullptr && *tools != '\0';
}

}  // namespace ompt
}  // namespace

void stop_openmp() { member.entry = nullptr; }

}  // namespace waywiser::profile

using namespace waywiser::profile;

#pragma GCC visibility push(default)
extern "C" {

/// Any other tool comes first: the program's, one that the user preloads or names.
void* ompt_start_tool(unsigned version, const char* runtime) {
    using Start = void* (*)(unsigned, const char*);
    if (const auto next = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "ompt_start_tool"))) {
        if (void* other = next(version, runtime)) return other;
    }
    return ompt::wanted() && !ompt::user_names_tools() ? &ompt::tool : nullptr;
}

// clang-format off
#define WAYWISER_LOOP(name)                                                                        \
    void name(Outlined function, void* data, unsigned threads, long start, long end, long step,    \
              long chunk, unsigned flags) {                                                        \
        run_region<void>(Gomp::name, __builtin_return_address(0), function, data, threads, start,  \
                         end, step, chunk, flags);                                                 \
    }
#define WAYWISER_RUNTIME_LOOP(name)                                                                \
    void name(Outlined function, void* data, unsigned threads, long start, long end, long step,    \
              unsigned flags) {                                                                    \
        run_region<void>(Gomp::name, __builtin_return_address(0), function, data, threads, start,  \
                         end, step, flags);                                                        \
    }
#define WAYWISER_WAIT(result, name) \
    result name() { return run_wait<result>(Gomp::name, __builtin_return_address(0)); }
// clang-format on

WAYWISER_LOOP(GOMP_parallel_loop_static)
WAYWISER_LOOP(GOMP_parallel_loop_dynamic)
WAYWISER_LOOP(GOMP_parallel_loop_guided)
WAYWISER_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
WAYWISER_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
WAYWISER_RUNTIME_LOOP(GOMP_parallel_loop_runtime)
WAYWISER_RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
WAYWISER_RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
WAYWISER_WAIT(void, GOMP_barrier)
WAYWISER_WAIT(bool, GOMP_barrier_cancel)
WAYWISER_WAIT(void, GOMP_loop_end)
WAYWISER_WAIT(bool, GOMP_loop_end_cancel)
WAYWISER_WAIT(void, GOMP_sections_end)
WAYWISER_WAIT(bool, GOMP_sections_end_cancel)
WAYWISER_WAIT(void*, GOMP_single_copy_start)

void GOMP_workshare_task_reduction_unregister(bool cancelled) {
    run_wait<void>(Gomp::GOMP_workshare_task_reduction_unregister, __builtin_return_address(0), cancelled);
}

void GOMP_parallel(Outlined function, void* data, unsigned threads, unsigned flags) {
    run_region<void>(Gomp::GOMP_parallel, __builtin_return_address(0), function, data, threads, flags);
}

unsigned GOMP_parallel_reductions(Outlined function, void* data, unsigned threads, unsigned flags) {
    return run_region<unsigned>(Gomp::GOMP_parallel_reductions, __builtin_return_address(0), function, data, threads,
                                flags);
}

void GOMP_parallel_sections(Outlined function, void* data, unsigned threads, unsigned count, unsigned flags) {
    run_region<void>(Gomp::GOMP_parallel_sections, __builtin_return_address(0), function, data, threads, count, flags);
}

/// Older compilers pass fewer arguments; the rest is handed on as it lies there.
void GOMP_task(Outlined function, void* data, void* copy, long bytes, long alignment, bool deferred, unsigned flags,
               void* depend, int priority, void* detach) {
    run_task(Gomp::GOMP_task, __builtin_return_address(0), function, data, copy, bytes, alignment, deferred, flags,
             depend, priority, detach);
}

// clang-format off
#define WAYWISER_TASKLOOP(name)                                                                    \
    void name(Outlined function, void* data, void* copy, long bytes, long alignment,               \
              unsigned flags, unsigned long tasks, int priority, long start, long end, long step) {\
        run_task(Gomp::name, __builtin_return_address(0), function, data, copy, bytes, alignment,  \
                 flags, tasks, priority, start, end, step);                                        \
    }
// clang-format on

WAYWISER_TASKLOOP(GOMP_taskloop)
WAYWISER_TASKLOOP(GOMP_taskloop_ull)

}  // extern "C"
#pragma GCC visibility pop
