/// Wrappers of the calls that begin and end MPI, and of those after which handles are void.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "profile/process.hpp"
#include "profile/recorder.hpp"
#include "profile/requests.hpp"

namespace waywiser::profile {
namespace {

constinit char run_path[1024] = {};

/// Noted before the profiler leaves the environment.
void note_run() {
    const char* run = std::getenv("WAYWISER_RUN");
    if (run != nullptr) std::snprintf(run_path, sizeof run_path, "%s", run);
}

/// Copies the state into the run; the live state stays until that has worked.
void save_state(StateFile& file) {
    sample_process();
    if (run_path[0] == '\0') note_run();
    if (run_path[0] != '\0' && file.save(run_path)) file.remove();
}

/// MPI_Init has returned well: from now on there are ranks, and handles can be read.
void initialised(const Call& call) {
    StateFile* file = process_state();
    if (file == nullptr) return;
    state::Header& header = *file->header();
    char text[kLibraryVersionBytes];
    library_version(text);
    int rank = -1;
    int size = 0;
    const bool known = identify_library(text, &rank, &size);
    header.init_begin_ticks = call.begin_ticks();
    header.init_end_ticks = call.end_ticks();
    header.abi = library.abi;
    if (known) {
        header.world_rank = rank;
        header.world_size = size;
    }
    describe_process(header);  // the launcher may have bound the process by now
    describe_transport(header, text);
    copy_line(header.library, text);
    header.phase = state::Phase::initialised;
    note_run();
    leave_environment();
    enter_phase(kFirstPhase);
    sample_process();
}

/// One of several requests that MPI_Startall started; their time is not known one by one.
void count_started(const Call& call, const Payload& one) {
    if (one.pattern == Payload::Pattern::one) count_message(call.thread(), one.comm, one.rank, one.sent);
    if (one.pattern == Payload::Pattern::collective) count_collective(call.thread(), call.id(), one, {});
}

template <class... Arguments>
int initialise(Id id, Arguments... arguments) {
    const auto next = next_call<int (*)(Arguments...)>(id);
    if (next == nullptr) return kNoSuchCall;
    Call call(id);
    const int result = next(arguments...);
    call.end();
    if (call.outermost() && result == 0) initialised(call);
    call.record();
    return result;
}

/// Ended by exit(), or by returning from main.
__attribute__((destructor)) void process_ends() {
    StateFile* file = process_state();
    if (file == nullptr) return;
    state::Header& header = *file->header();
    if (header.pid != static_cast<std::uint32_t>(getpid())) return;
    if (header.phase == state::Phase::finalised && !called_since(header.finalize_end_ticks)) return;
    if (header.phase < state::Phase::finalised) header.phase = state::Phase::exited;
    save_state(*file);
}

}  // namespace
}  // namespace waywiser::profile

using namespace waywiser::profile;

#pragma GCC visibility push(default)
extern "C" {

int MPI_Init(int* argc, char*** argv) { return initialise(Id::MPI_Init, argc, argv); }

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    return initialise(Id::MPI_Init_thread, argc, argv, required, provided);
}

int MPI_Finalize() {
    const auto next = next_call<int (*)()>(Id::MPI_Finalize);
    if (next == nullptr) return kNoSuchCall;
    Call call(Id::MPI_Finalize);
    if (call.outermost()) leave_phases();
    const int result = next();
    call.end();
    call.record();
    if (StateFile* file = process_state(); file != nullptr && call.outermost()) {
        file->header()->finalize_begin_ticks = call.begin_ticks();
        file->header()->finalize_end_ticks = call.end_ticks();
        file->header()->phase = waywiser::state::Phase::finalised;
        save_state(*file);
    }
    return result;
}

int MPI_Abort(Handle comm, int errorcode) {
    const auto next = next_call<int (*)(Handle, int)>(Id::MPI_Abort);
    if (next == nullptr) return kNoSuchCall;
    Call call(Id::MPI_Abort);
    call.end();  // it does not return
    call.record();
    if (StateFile* file = process_state()) {
        file->header()->phase = waywiser::state::Phase::aborted;
        save_state(*file);
    }
    return next(comm, errorcode);
}

int MPI_Comm_free(Handle* comm) {
    const auto next = next_call<int (*)(Handle*)>(Id::MPI_Comm_free);
    if (next == nullptr) return kNoSuchCall;
    Call call(Id::MPI_Comm_free);
    forget_communicators();
    const int result = next(comm);
    call.end();
    call.record();
    return result;
}

int MPI_Comm_disconnect(Handle* comm) {
    const auto next = next_call<int (*)(Handle*)>(Id::MPI_Comm_disconnect);
    if (next == nullptr) return kNoSuchCall;
    Call call(Id::MPI_Comm_disconnect);
    forget_communicators();
    const int result = next(comm);
    call.end();
    call.record();
    return result;
}

int MPI_Start(void* request) {
    const auto next = next_call<int (*)(void*)>(Id::MPI_Start);
    if (next == nullptr) return kNoSuchCall;
    Call call(Id::MPI_Start);
    const int result = next(request);
    call.end();
    call.record(call.wants_payload(result) ? remembered(request) : Payload{});
    return result;
}

int MPI_Startall(int count, void* requests) {
    const auto next = next_call<int (*)(int, void*)>(Id::MPI_Startall);
    if (next == nullptr) return kNoSuchCall;
    Call call(Id::MPI_Startall);
    const int result = next(count, requests);
    call.end();
    Payload payload;
    if (call.wants_payload(result)) {
        payload = started(count, requests, [&](const Payload& one) { count_started(call, one); });
    }
    call.record(payload);
    return result;
}

int MPI_Request_free(void* request) {
    const auto next = next_call<int (*)(void*)>(Id::MPI_Request_free);
    if (next == nullptr) return kNoSuchCall;
    Call call(Id::MPI_Request_free);
    if (library.ready() && request != nullptr) forget_request(request);  // before the handle is overwritten
    const int result = next(request);
    call.end();
    call.record();
    return result;
}

/// Variadic in C, but every library reads the level alone.
int MPI_Pcontrol(const int level, ...) {
    const auto next = next_call<int (*)(int, ...)>(Id::MPI_Pcontrol);
    if (next == nullptr) return kNoSuchCall;
    Call call(Id::MPI_Pcontrol);
    const int result = next(level);
    call.end();
    call.record();
    if (call.outermost() && library.ready()) enter_phase(level);
    return result;
}

}  // extern "C"
#pragma GCC visibility pop
