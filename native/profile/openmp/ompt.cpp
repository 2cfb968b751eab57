/// Parallel regions as a runtime with OMPT reports them: LLVM's and Intel's.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>

#include "profile/calls/recorder.hpp"
#include "profile/openmp/openmp.hpp"

namespace waywiser::profile {

constinit std::atomic<bool> ompt_serves = false;

namespace {

// The part of omp-tools.h (OpenMP 5.1, chapter 4) that is needed.
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
    if (region->value == 0) open_nested_region();
}

void parallel_end(Data* region, Data*, int, const void*) {
    if (region->value == 0) {
        close_nested_region();
    } else {
        close_region(region->value, team_of_region);
    }
}

/// A worker's implicit task ends late, when the next region needs the worker.
void implicit_task(int endpoint, Data* region, Data* task, unsigned team, unsigned thread, int flags) {
    if ((flags & kTaskInitial) != 0) return;
    if (endpoint == kScopeBegin) {
        task->value = region != nullptr && region->value != 0 ? 1 : 0;
        if (task->value == 0) return;
        if (thread == 0) team_of_region = team;
        join_region(region->value, thread);
    } else if (endpoint == kScopeEnd && task->value != 0) {
        leave_region_late();
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

bool is_enabled() { return process_state() != nullptr || std::getenv("WAYWISER_RUN") != nullptr; }

bool user_names_tools() {
    const char* tools = std::getenv("OMP_TOOL_LIBRARIES");
    return tools != nullptr && *tools != '\0';
}

}  // namespace
}  // namespace waywiser::profile

using namespace waywiser::profile;

#pragma GCC visibility push(default)
extern "C" {

/// Any other tool takes precedence: the program's own, or one that the user preloads or names.
void* ompt_start_tool(unsigned version, const char* runtime) {
    using Start = void* (*)(unsigned, const char*);
    if (const auto next = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "ompt_start_tool"))) {
        if (void* next_tool = next(version, runtime)) return next_tool;
    }
    return is_enabled() && !user_names_tools() ? &tool : nullptr;
}

}  // extern "C"
#pragma GCC visibility pop
