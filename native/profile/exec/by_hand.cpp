#include "profile/exec/by_hand.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>

#include "profile/exec/masking.hpp"
#include "profile/process/node.hpp"

namespace waywiser::profile {
namespace {

constexpr int kOptions = 3;  // The words after --run RUN.
constexpr const char* kUsage =
    "waywiser: write it as ww-exec --run RUN [--copy-every=SECONDS] [--trace [--trace-limit=BYTES] "
    "[--trace-phase=N]] -- PROGRAM [ARGUMENT…], with 0.1 to 300 seconds\n";
constexpr double kShortest_s = 0.1;  // The limit is that of `waywiser profile`.
constexpr double kLongest_s = 300;

char run[PATH_MAX];
char state[PATH_MAX];
char options[PATH_MAX];  ///< comma-separated options in the profiler's form

bool refuse(const char* subject, const char* why) {
    std::fprintf(stderr, "waywiser: %s: %s\n", subject, why);
    return false;
}

[[gnu::format(printf, 2, 3)]] bool print(char (&to)[PATH_MAX], const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(to, sizeof to, format, arguments);
    va_end(arguments);
    return length >= 0 && static_cast<std::size_t>(length) < sizeof to;
}

/// Creates a directory and its parents.
bool make_directories(char* path) {
    for (char* slash = std::strchr(path + 1, '/'); slash != nullptr; slash = std::strchr(slash + 1, '/')) {
        *slash = '\0';
        const bool is_created = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!is_created) return false;
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

/// Chooses the directory of the ranks' states under one name for all: a symbolic link is created atomically, also on
/// network file systems, and only by the first rank.
/// \return whether this rank was the first
bool choose_state(const char* link, bool* first) {
    std::uint64_t token = 0;
    if (!fill_randomly(&token, sizeof token)) return false;
    const char* temporary = std::getenv("TMPDIR");
    const char* place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : temporary != nullptr ? temporary : "/tmp";
    char chosen[PATH_MAX];
    if (!print(chosen, "%s/waywiser-%u-%016llx", place, getuid(), static_cast<unsigned long long>(token))) return false;
    *first = symlink(chosen, link) == 0;
    if (!*first && errno != EEXIST) return false;
    const ssize_t length = readlink(link, state, sizeof state - 1);
    if (length <= 0) return false;
    state[length] = '\0';
    return true;
}

/// Keeps the working directory and the program's arguments, each ended by a zero byte, for ww-merge. Secrets are
/// masked.
void keep_command(const char* path, char** program) {
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    char directory[PATH_MAX];
    if (file < 0) return;
    bool written = true;
    const auto put = [&](const char* text, std::size_t bytes) {
        written = written && write(file, text, bytes) == static_cast<ssize_t>(bytes);
    };
    const auto put_word = [&](const char* before, const char* word) {
        const Stored stored = masked(before, word);
        put(word, stored.begin);
        put(stored.masked, std::strlen(stored.masked));
        put(stored.end, std::strlen(stored.end) + 1);
    };
    if (getcwd(directory, sizeof directory) == nullptr) directory[0] = '\0';
    put(directory, std::strlen(directory) + 1);
    put(*program, std::strlen(*program) + 1);
    for (++program; *program != nullptr; ++program) put_word(program[-1], *program);
    close(file);
    if (!written) unlink(path);  // The run then lacks its command.
}

bool make_run(char* name, char** program) {
    char path[PATH_MAX];
    bool first = false;
    if (!print(path, "%s/parts", name) || !make_directories(path)) return refuse(name, std::strerror(errno));
    if (realpath(name, run) == nullptr || !print(path, "%s/profile.ww", run)) return refuse(name, std::strerror(errno));
    if (access(path, F_OK) == 0) return refuse(run, "holds a run that has ended; give another name after --run");
    if (!print(path, "%s/parts/state", run) || !choose_state(path, &first)) return refuse(path, std::strerror(errno));
    if (first && print(path, "%s/parts/command", run)) keep_command(path, program);
    return true;
}

/// Adds `--WORD` to the options.
bool add_option(const char* argument) {
    const bool known = std::strcmp(argument, "--trace") == 0 || std::strncmp(argument, "--trace-limit=", 14) == 0 ||
                       std::strncmp(argument, "--trace-phase=", 14) == 0;
    const std::size_t used = std::strlen(options);
    const std::size_t bytes = known ? std::strlen(argument + 2) : 0;
    if (!known || used + bytes + 2 > sizeof options) return false;
    if (used > 0) options[used] = ',';
    std::memcpy(options + used + (used > 0 ? 1 : 0), argument + 2, bytes + 1);
    return true;
}

bool is_copy_every(const char* argument) {
    constexpr std::size_t kName = sizeof kCopyEvery - 1;
    if (std::strncmp(argument, kCopyEvery, kName) != 0) return false;
    char* end = nullptr;
    const double seconds = std::strtod(argument + kName, &end);
    return *end == '\0' && seconds >= kShortest_s && seconds <= kLongest_s;
}

/// \param copy_every  becomes the argument that specifies the interval of copies
/// \return index of the program's name; 0 if there is none
int take_options(int argc, char** argv, char** copy_every) {
    for (int i = kOptions; i < argc; ++i) {
        if (std::strcmp(argv[i], "--") == 0) return i + 1 < argc ? i + 1 : 0;
        if (is_copy_every(argv[i])) {
            *copy_every = argv[i];
        } else if (!add_option(argv[i])) {
            return 0;
        }
    }
    return 0;
}

}  // namespace

/// Path of a library in the layout of the Python package or of the tarball; nullptr, with a message, if not found.
char* find_library(const char* name) {
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length < 0) {
        refuse("/proc/self/exe", std::strerror(errno));
        return nullptr;
    }
    own[length] = '\0';
    *std::strrchr(own, '/') = '\0';
    for (const char* directory : {"", "/../lib"}) {
        char path[PATH_MAX];
        char* library = print(path, "%s%s/%s", own, directory, name) ? realpath(path, nullptr) : nullptr;
        if (library == nullptr) continue;
        if (std::strpbrk(library, ": ") == nullptr) return library;
        refuse(library, "LD_PRELOAD takes no path with a space or colon; unpack Waywiser elsewhere");
        std::free(library);
        return nullptr;
    }
    std::fprintf(stderr, "waywiser: %s holds no %s, nor does ../lib; unpack Waywiser's tarball whole\n", own, name);
    return nullptr;
}

bool is_by_hand(int argc, char** argv) { return argc > 1 && std::strcmp(argv[1], "--run") == 0; }

char** complete_by_hand(int* argc, char** argv) {
    char* copy_every = nullptr;
    const int first = take_options(*argc, argv, &copy_every);
    if (first == 0) {
        std::fputs(kUsage, stderr);
        return nullptr;
    }
    char** program = argv + first;
    char* library = find_library("libwaywiser-profile.so");
    if (library == nullptr || !make_run(argv[2], program)) return nullptr;
    char* before[] = {argv[0], copy_every, library, run, state, options};
    const int words = *argc - first;
    auto** completed =
        static_cast<char**>(std::calloc(std::size(before) + static_cast<std::size_t>(words) + 1, sizeof *argv));
    if (completed == nullptr) {
        refuse(argv[0], std::strerror(errno));
        return nullptr;
    }
    char** end = completed;
    for (char* word : before) {
        if (word != nullptr) *end++ = word;
    }
    end = std::copy_n(program, words, end);
    *argc = static_cast<int>(end - completed);
    return completed;
}

}  // namespace waywiser::profile
