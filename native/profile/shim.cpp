/// ww-exec: starts a program with the profiler preloaded.
///
///     ww-exec LIBRARY RUN STATE PROGRAM [ARGUMENT…]
///     ww-exec --run RUN -- PROGRAM [ARGUMENT…]
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

#include "profile/by_hand.hpp"

namespace {

constexpr int kNotFound = 127;  // as the shell says it
constexpr int kNotExecutable = 126;

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

/// Launchers find a bare name in the working folder too, execvp only in PATH.
void start_from_working_folder(char** program) {
    char path[PATH_MAX];
    if (std::strchr(program[0], '/') != nullptr) return;
    const int length = std::snprintf(path, sizeof path, "./%s", program[0]);
    if (length > 0 && static_cast<std::size_t>(length) < sizeof path) execv(path, program);
}

}  // namespace

int main(int argc, char** argv) {
    using namespace waywiser::profile;
    if (is_by_hand(argc, argv) && !complete_by_hand(argc, argv)) return 2;
    if (argc < 5) {
        std::fputs("waywiser: write it as ww-exec --run RUN -- PROGRAM [ARGUMENT…]\n", stderr);
        return 2;
    }
    if (!preload(argv[1]) || setenv("WAYWISER_RUN", argv[2], 1) != 0 || setenv("WAYWISER_STATE", argv[3], 1) != 0) {
        std::fputs("waywiser: no memory to set up the profiler; the program runs without it\n", stderr);
    }
    execvp(argv[4], argv + 4);
    const int reason = errno;
    if (reason == ENOENT) start_from_working_folder(argv + 4);
    std::fprintf(stderr, "waywiser: cannot start %s: %s\n", argv[4], std::strerror(reason));
    return reason == ENOENT ? kNotFound : kNotExecutable;
}
