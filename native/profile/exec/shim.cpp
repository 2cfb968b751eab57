/// ww-exec: starts a program with the profiler or the reranker preloaded, or both.
///
///     ww-exec [--rerank=FILE] [--virtual=FILE] [--copy-every=SECONDS] LIBRARY RUN STATE OPTIONS PROGRAM [ARGUMENT…]
///     ww-exec [--rerank=FILE] --run RUN -- PROGRAM [ARGUMENT…]
///     ww-exec --rerank=FILE -- PROGRAM [ARGUMENT…]
///
/// FILE orders the job's ranks, or is the machine on which topologies are ordered, if it ends in .places.
///
/// ww-exec stands between the launcher and the program (`mpirun -n 4 ww-exec … ./app`), so that only the program gets
/// the profiler and the launcher runs as usual. The profiler's settings are passed as arguments, because launchers do
/// not pass the environment to other nodes. The first ww-exec of a node starts the node's collector (docs/design/006).
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "profile/collector/collector.hpp"
#include "profile/collector/energy.hpp"
#include "profile/exec/by_hand.hpp"
#include "profile/exec/option_words.hpp"
#include "profile/process/node.hpp"

namespace waywiser::profile {
namespace {

constexpr int kNotFound = 127;  // The exit code is that of the shell.
constexpr int kNotExecutable = 126;
constexpr char kRerank[] = "--rerank=";
constexpr char kVirtual[] = "--virtual=";
constexpr const char* kListener = "libwaywiser-virtual.so";
constexpr const char* kPosixIo = "libwaywiser-posix-io.so";
constexpr const char* kReranker = "libwaywiser-rerank.so";
constexpr const char* kTopologies = "libwaywiser-topologies.so";
constexpr char kPlaces[] = ".places";
constexpr const char* kHelp = R"(Start a program with Waywiser's profiler, a new order of its ranks, or both.

usage: ww-exec [--rerank=FILE] --run RUN [OPTION…] -- PROGRAM [ARGUMENT…]
       ww-exec --rerank=FILE -- PROGRAM [ARGUMENT…]

Write ww-exec between the launcher with its options and the program, as in
`srun ww-exec --run RUN -- ./app`, and `ww-merge RUN` after the launcher.
Input, output, signals and exit code are the program's own.

options:
  --rerank=FILE         give the ranks the order in FILE; if its name ends in
                        .places, FILE describes the machine for which the ranks
                        of the program's topologies are ordered
  --run RUN             record a profile in the directory RUN, which is created
  --copy-every=SECONDS  interval of the profile's copies (default: 30)
  --trace               also record every MPI call
  --trace-limit=BYTES   limit the trace of each process (default: 1073741824)
  --trace-phase=N       trace only phase N of the program (MPI_Pcontrol)
  --help                print this help and exit
)";

/// Puts the profiler before the user's own preloaded libraries.
bool preload(const char* library) {
    const char* before = std::getenv("LD_PRELOAD");
    if (before == nullptr || *before == '\0') return setenv("LD_PRELOAD", library, 1) == 0;
    const std::size_t bytes = std::strlen(library) + std::strlen(before) + 2;
    auto* both = static_cast<char*>(std::malloc(bytes));
    if (both == nullptr) return false;
    std::snprintf(both, bytes, "%s:%s", library, before);
    return setenv("LD_PRELOAD", both, 1) == 0;  // setenv has copied the text, and exec frees it.
}

/// Preloads the profiler and, after it, the wrappers of libc's reads and writes if they are requested.
bool preload_all(const char* profiler, const char* options) {
    const char* slash = std::strrchr(profiler, '/');
    char wrappers[PATH_MAX];
    bool wraps_files = false;
    each_option(options, [&](std::string_view name, const char*) { wraps_files |= name == "posix-io"; });
    if (wraps_files && slash != nullptr) {
        const int directory = static_cast<int>(slash - profiler);
        const int length = std::snprintf(wrappers, sizeof wrappers, "%.*s/%s", directory, profiler, kPosixIo);
        if (length < 0 || static_cast<std::size_t>(length) >= sizeof wrappers || !preload(wrappers)) return false;
    }
    return preload(profiler);
}

/// Preloads a library whose variable names a file. The path is made absolute, because the program may change its
/// directory.
bool preload_with(const char* library_name, const char* variable, const char* file) {
    char directory[PATH_MAX] = "";
    if (*file != '/' && getcwd(directory, sizeof directory) == nullptr) return false;
    char path[2 * PATH_MAX];
    std::snprintf(path, sizeof path, "%s%s%s", directory, *file == '/' ? "" : "/", file);
    const char* library = find_library(library_name);
    return library != nullptr && preload(library) && setenv(variable, path, 1) == 0;
}

bool names_places(const char* file) {
    const std::size_t length = std::strlen(file);
    return length >= sizeof kPlaces && std::strcmp(file + length - (sizeof kPlaces - 1), kPlaces) == 0;
}

/// Preloads the reranker before the profiler, which then sees the new ranks.
void preload_reranker(const char* file) {
    if (file != nullptr && !names_places(file)) preload_with(kReranker, "WAYWISER_RANK_ORDER", file);
}

/// Preloads the topologies after the profiler, which then sees the program's own calls and their results.
void preload_topologies(const char* file) {
    if (file != nullptr && names_places(file)) preload_with(kTopologies, "WAYWISER_TOPOLOGIES", file);
}

/// Preloads the listener, which simulates the calls on virtual clocks; the profiler looks for it.
bool preload_listener(const char* settings) {
    const char* library = find_library(kListener);
    return library != nullptr && preload(library) && setenv("WAYWISER_VIRTUAL", settings, 1) == 0;
}

/// Executes the collector, which lies beside this program, with the node's lock as its descriptor `kLockDescriptor` and
/// without the user's environment, except for the variable that it reads.
[[noreturn]] void become_collector(int lock, char* run, char* directory, char* seconds) {
    char path[PATH_MAX + sizeof kCollector];
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
    path[length > 0 ? length : 0] = '\0';
    char* slash = std::strrchr(path, '/');
    if (slash == nullptr) _exit(1);
    std::memcpy(slash + 1, kCollector, sizeof kCollector);
    const int kept = lock == kLockDescriptor ? fcntl(lock, F_SETFD, 0) : dup2(lock, kLockDescriptor);
    if (kept < 0) _exit(1);
    char name[] = "ww-collector";
    char* arguments[] = {name, directory, run, seconds, nullptr};
    char powercap[kPathBytes];
    const char* directory_of_powercap = std::getenv(kPowercapVariable);
    const bool has_powercap =
        directory_of_powercap != nullptr && print_path(powercap, "%s=%s", kPowercapVariable, directory_of_powercap);
    char* environment[] = {has_powercap ? powercap : nullptr, nullptr};
    execve(path, arguments, environment);
    _exit(1);
}

/// Starts the collector as an orphan: a program that waits for all its children must not find it.
void start_collector(int lock, char* run, char* directory, char* seconds) {
    // This call is like fork, but the child's end raises no SIGCHLD. The program would find the signal pending if its
    // launcher blocks it (clone(2): termination signal 0 and __WCLONE).
    const auto child = static_cast<pid_t>(syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
    if (child == 0) {
        if (setsid() < 0 || fork() != 0) _exit(0);
        become_collector(lock, run, directory, seconds);
    }
    while (child > 0 && waitpid(child, nullptr, static_cast<int>(__WCLONE)) < 0 && errno == EINTR) {
    }
}

/// Registers this process on its node by an empty state, which the node's collector watches.
void join_node(char* run, char* directory, char* seconds) {
    char path[kPathBytes];
    const int state = make_state(directory, path);
    if (state < 0) return;
    close(state);
    const int lock = claim_node(directory);
    if (lock < 0) return;
    start_collector(lock, run, directory, seconds);
    close(lock);
}

/// Resolves a bare name in the working directory, as launchers do: execvp searches PATH only.
void start_from_working_directory(char** program) {
    char path[PATH_MAX];
    if (std::strchr(program[0], '/') != nullptr) return;
    const int length = std::snprintf(path, sizeof path, "./%s", program[0]);
    if (length > 0 && static_cast<std::size_t>(length) < sizeof path) execv(path, program);
}

/// \return only if the program cannot be executed
int execute(char** program) {
    execvp(program[0], program);
    const int reason = errno;
    if (reason == ENOENT) start_from_working_directory(program);
    std::fprintf(stderr, "waywiser: cannot start %s: %s\n", program[0], std::strerror(reason));
    return reason == ENOENT ? kNotFound : kNotExecutable;
}

/// Removes the first argument if it starts with `name`.
/// \return the rest of that argument, or else `otherwise`
char* take_option(const char* name, int& argc, char**& argv, char* otherwise) {
    if (argc < 2 || std::strncmp(argv[1], name, std::strlen(name)) != 0) return otherwise;
    char* value = argv[1] + std::strlen(name);
    argv[1] = argv[0];
    ++argv;
    --argc;
    return value;
}

int start(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
        std::fputs(kHelp, stdout);
        return 0;
    }
    const char* order = take_option(kRerank, argc, argv, nullptr);
    if (order != nullptr && argc > 2 && std::strcmp(argv[1], "--") == 0) {
        preload_topologies(order);
        preload_reranker(order);
        return execute(argv + 2);
    }
    const char* settings = take_option(kVirtual, argc, argv, nullptr);
    if (is_by_hand(argc, argv)) argv = complete_by_hand(&argc, argv);
    if (argv == nullptr) return 2;
    char thirty_seconds[] = "30";
    char* seconds = take_option(kCopyEvery, argc, argv, thirty_seconds);
    if (argc < 6) {
        std::fputs(
            "waywiser: write it as ww-exec --run RUN -- PROGRAM [ARGUMENT…], or ww-exec --rerank=FILE -- PROGRAM\n",
            stderr);
        return 2;
    }
    char** program = argv + 5;
    preload_topologies(order);
    if (!preload_all(argv[1], argv[4]) || setenv("WAYWISER_RUN", argv[2], 1) != 0 ||
        setenv("WAYWISER_STATE", argv[3], 1) != 0 || setenv("WAYWISER_OPTIONS", argv[4], 1) != 0) {
        std::fputs("waywiser: no memory to set up the profiler; the program runs without it\n", stderr);
    } else {
        join_node(argv[2], argv[3], seconds);
    }
    if (settings != nullptr) preload_listener(settings);
    preload_reranker(order);
    return execute(program);
}

}  // namespace
}  // namespace waywiser::profile

int main(int argc, char** argv) { return waywiser::profile::start(argc, argv); }
