#include "profile/calls/lifecycle.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "profile/posix_io/posix_io.hpp"
#include "profile/process/process.hpp"
#include "profile/process/sharing.hpp"

namespace waywiser::profile {
namespace {

constinit char run_path[1024] = {};

/// Notes the run's path before the profiler leaves the environment.
void note_run() {
    const char* run = std::getenv("WAYWISER_RUN");
    if (run != nullptr) std::snprintf(run_path, sizeof run_path, "%s", run);
}

constinit std::uint64_t saved_at_ticks = 0;  ///< 0: MPI has been initialised since
constinit bool ending = false;

/// Copies the state into the run; the live state stays until the copy is complete.
void save_state(StateFile& file) {
    saved_at_ticks = ticks();
    sample_process();
    if (run_path[0] == '\0') note_run();
    if (run_path[0] != '\0' && file.save(run_path)) file.remove();
}

/// Runs when the process ends by exit() or by returning from main.
__attribute__((destructor)) void process_ends() {
    StateFile* file = process_state();
    if (file == nullptr) return;
    state::Header& header = *file->header();
    if (header.pid != static_cast<std::uint32_t>(getpid())) return;
    if (header.phase == state::Phase::finalised && saved_at_ticks != 0 && !called_since(saved_at_ticks)) return;
    ending = true;
    if (header.phase < state::Phase::finalised) header.phase = state::Phase::exited;
    save_state(*file);
}

}  // namespace

namespace {

/// The thread level of sessions is unknown.
bool may_have_several_threads(Handle by) {
    int level = 0;
    return by != world_model() || library.query_thread == nullptr || library.query_thread(&level) != 0 ||
           level >= library.constants.thread_multiple;
}

}  // namespace

void initialised(const Call& call, Handle by) {
    if (library.complete) library.several_threads = may_have_several_threads(by);
    StateFile* file = process_state();
    if (file == nullptr || !open_world(by)) return;
    state::Header& header = *file->header();
    char text[kLibraryVersionBytes];
    library_version(text);
    int rank = -1;
    int size = 0;
    const bool known = rank_in_world(&rank, &size);
    if (header.init_begin_ticks == 0) header.init_begin_ticks = call.begin_ticks();
    header.finalize_end_ticks = 0;
    saved_at_ticks = 0;
    header.abi = library.abi;
    if (known) {
        header.world_rank = library.world_rank = rank;
        header.world_size = library.world_size = size;
    }
    describe_process(header);  // The launcher may have bound the process by now.
    describe_transport(header, text);
    if (options.sharing && by == world_model())
        header.sharing = static_cast<std::uint32_t>(lowest_sharing_memory() + 1);
    copy_line(header.library, text);
    header.phase = state::Phase::initialised;
    note_run();
    leave_environment();
    enter_phase(kFirstPhase, call.end_ticks());
    if (options.posix_io) open_io_records();
    mpi_is_up = true;
    sample_process();
}

void start_listener() {
    if (!library.complete) return;
    const bool can_report = self != nullptr && self->tracer != nullptr && library.ready();
    open_listener(can_report ? process_state()->header()->begin : calibrate(), can_report);
}

void finalising(const Call& call, Handle by) {
    close_world(by);
    if (by == world_model() && !world_is_open()) leave_phases(call.begin_ticks());
}

void finalised(const Call& call, Handle by, int result) {
    StateFile* file = process_state();
    if (file == nullptr) return;
    if (result != 0 && by != world_model()) open_world(by);
    if (world_is_open()) return;
    drop_world();
    leave_phases(call.outermost() ? call.begin_ticks() : ticks());
    forget_communicators();
    file->header()->finalize_end_ticks = call.outermost() ? call.end_ticks() : ticks();
    file->header()->phase = state::Phase::finalised;
    mpi_is_up = false;
    // A program may open any number of sessions, so their state is saved only when it ends.
    if (by == world_model() || ending) return save_state(*file);
    sample_process();
}

void aborting() {
    StateFile* file = process_state();
    if (file == nullptr) return;
    file->header()->phase = state::Phase::aborted;
    save_state(*file);
}

}  // namespace waywiser::profile

using namespace waywiser::profile;

#pragma GCC visibility push(default)
extern "C" {

/// MPI declares this function variadic, but every library reads the level only.
int MPI_Pcontrol(const int level, ...) {
    const auto next = next_call<int (*)(int, ...)>(Id::MPI_Pcontrol);
    if (next == nullptr) return kNoSuchCall;
    Call call(Id::MPI_Pcontrol);
    return control(call, level, [&] { return next(level); });
}

}  // extern "C"
#pragma GCC visibility pop
