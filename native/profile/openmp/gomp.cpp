/// Parallel regions of programs that GCC compiled: libgomp has no OMPT, so the profiler defines its
/// entry points in front of it and puts its own function around the team's.
#include <dlfcn.h>

#include <atomic>
#include <cstdint>

#include "profile/openmp/openmp.hpp"
#include "profile/preload/slow_path.hpp"

namespace waywiser::profile {

namespace {

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

/// The runtime to which a place in the program is bound.
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

/// Finds the functions to which `caller`'s own file would be bound without the profiler. Python's extension modules
/// load runtimes of their own, several at once, outside the global scope.
void find_private_calls(const void* caller, Runtime& runtime) {
    Dl_info file{};
    if (dladdr(caller, &file) == 0) return;
    void* handle = dlopen(file.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return;
    find_calls(handle, runtime);
    dlclose(handle);
}

/// The known runtime with these functions, or a new one.
Runtime* known_runtime(const Runtime& resolved) {
    for (unsigned i = 0; i < runtime_count; ++i) {
        if (runtimes[i].calls[0] == resolved.calls[0]) return &runtimes[i];
    }
    if (runtime_count == kRuntimes) return nullptr;
    runtimes[runtime_count] = resolved;
    return &runtimes[runtime_count++];
}

std::size_t slot_of(const void* caller) { return (reinterpret_cast<std::uintptr_t>(caller) >> 2U) % kBindings; }

/// The loader's lock is taken before the slow path's, never within it.
void bind(Gomp call, const void* caller, Runtime& into) {
    Runtime resolved{};
    find_calls(RTLD_NEXT, resolved);
    const bool global = resolved.calls[static_cast<unsigned>(call)] != nullptr;
    if (!global) find_private_calls(caller, resolved);
    into = resolved;
    if (resolved.calls[static_cast<unsigned>(call)] == nullptr) return;
    const Locked lock(slow_path);
    Runtime* runtime = known_runtime(resolved);
    if (runtime == nullptr) return;
    if (global) global_runtime.store(runtime, std::memory_order_release);
    Binding& binding = bindings[slot_of(caller)];
    if (binding.caller.load(std::memory_order_relaxed) != nullptr) return;  // This place is looked up each time.
    binding.runtime = runtime;
    binding.caller.store(caller, std::memory_order_release);
}

/// The runtime functions after the profiler's for `caller`.
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

/// Passed to the team in place of the program's function and its data.
struct Region {
    void* reductions;  ///< GOMP_parallel_reductions reads this first word of the data.
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

/// Marks a nested region of the program's thread, which counts as work of the outer region.
class Nested {
public:
    Nested() { open_nested_region(); }
    ~Nested() { close_nested_region(); }
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

}  // namespace
}  // namespace waywiser::profile

using namespace waywiser::profile;

#pragma GCC visibility push(default)
extern "C" {

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

/// Older compilers pass fewer arguments; the others are passed on unread.
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
