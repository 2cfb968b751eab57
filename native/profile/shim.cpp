/// ww-exec: starts a program with the profiler preloaded.
///
///     ww-exec LIBRARY RUN STATE OPTIONS PROGRAM [ARGUMENT…]
///
/// It stands between the launcher and the program (`mpirun -n 4 ww-exec … ./app`), so that only
/// the program gets the profiler and the launcher runs as ever. What the profiler needs comes as
/// arguments, because launchers do not pass the environment to other nodes.
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kNotFound = 127;  // as the shell says it
constexpr int kNotExecutable = 126;
constexpr const char* kPosixIo = "libwaywiser-posix-io.so";

/// The profiler comes before what the user preloads himself.
bool preload(const char* library) {
    const char* before = std::getenv("LD_PRELOAD");
    if (before == nullptr || *before == '\0') return setenv("LD_PRELOAD", library, 1) == 0;
    const std::size_t bytes = std::strlen(library) + std::strlen(before) + 2;
    auto* both = static_cast<char*>(std::malloc(bytes));
    if (both == nullptr) return false;
    std::snprintf(both, bytes, "%s:%s", library, before);
    return setenv("LD_PRELOAD", both, 1) == 0;  // setenv has copied it; exec frees the rest
}

/// The wrappers of libc's reads and writes lie beside the profiler; it comes first.
bool preload_all(const char* profiler, const char* options) {
    const char* slash = std::strrchr(profiler, '/');
    char wrappers[PATH_MAX];
    if (std::strstr(options, "posix-io") != nullptr && slash != nullptr) {
        const int folder = static_cast<int>(slash - profiler);
        const int length = std::snprintf(wrappers, sizeof wrappers, "%.*s/%s", folder, profiler, kPosixIo);
        if (length < 0 || static_cast<std::size_t>(length) >= sizeof wrappers || !preload(wrappers)) return false;
    }
    return preload(profiler);
}

/// Launchers find a bare name in the working folder too, execvp only in PATH.
void start_from_working_folder(char** program) {
    char path[PATH_MAX];
    if (std::strchr(program[0], '/') != nullptr) return;
    const int length = std::snprintf(path, sizeof path, "./%s", program[0]);
    if (length > 0 && static_cast<std::size_t>(length) < sizeof path) execv(path, program);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 6) {
        std::fputs("waywiser: ww-exec is started by `waywiser profile`, with LIBRARY RUN STATE OPTIONS PROGRAM\n",
                   stderr);
        return 2;
    }
    if (!preload_all(argv[1], argv[4]) || setenv("WAYWISER_RUN", argv[2], 1) != 0 ||
        setenv("WAYWISER_STATE", argv[3], 1) != 0 || setenv("WAYWISER_OPTIONS", argv[4], 1) != 0) {
        std::fputs("waywiser: no memory to set up the profiler; the program runs without it\n", stderr);
    }
    execvp(argv[5], argv + 5);
    const int reason = errno;
    if (reason == ENOENT) start_from_working_folder(argv + 5);
    std::fprintf(stderr, "waywiser: cannot start %s: %s\n", argv[5], std::strerror(reason));
    return reason == ENOENT ? kNotFound : kNotExecutable;
}
