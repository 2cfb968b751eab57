/// Support for MPI that a process loads after its start: its libraries are opened by dlopen, its functions looked up by
/// dlsym.
///
/// Both functions are exported here, and both jump to the real function, which then sees the caller's own return
/// address. The loader needs that address to choose the RUNPATH and the next definition. Before the jump, the visible
/// names are brought up to date. A library that is linked to an MPI that is not loaded yet must find these names when
/// it is relocated. Since the relocation is part of the same call, the MPI is opened first.
#include <dlfcn.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "profile/preload/exports.hpp"
#include "profile/preload/library.hpp"
#include "profile/preload/objects.hpp"

namespace waywiser::profile {
namespace {

constexpr std::size_t kPathBytes = 1024;
constexpr std::size_t kMostLibraries = 1024;
constexpr int kDeepest = 16;

/// A file's bytes, mapped for reading.
class MappedFile {
public:
    explicit MappedFile(const char* path) {
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        struct stat status{};
        if (file < 0) return;
        if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
            bytes_ = static_cast<std::size_t>(status.st_size);
            at_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
        }
        close(file);
    }
    ~MappedFile() {
        if (*this) munmap(at_, bytes_);
    }
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    [[nodiscard]] explicit operator bool() const { return at_ != MAP_FAILED; }
    [[nodiscard]] const char* begin() const { return static_cast<const char*>(at_); }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] Object object() const { return *this ? Object(at_, bytes_) : Object(); }

private:
    void* at_ = MAP_FAILED;
    std::size_t bytes_ = 0;
};

const char* file_name(const char* path) {
    const char* slash = std::strrchr(path, '/');
    return slash == nullptr ? path : slash + 1;
}

bool is_loaded(const char* soname) {
    bool loaded = false;
    each_object([&](const dl_phdr_info& info) {
        const char* own = Object(info).first_text(DT_SONAME);
        loaded =
            (own != nullptr && std::strcmp(own, soname) == 0) || std::strcmp(file_name(info.dlpi_name), soname) == 0;
        return loaded;
    });
    return loaded;
}

/// A loaded object and its loader: the dynamic loader searches an old DT_RPATH of each of them.
struct Loaded {
    const Object& object;
    const char* path;
    const Loaded* by;
};

/// Expands an entry of a search path, with $ORIGIN as the directory of the object that names it.
bool candidate(const char* entry, std::size_t length, const char* origin, const char* soname,
               char (&path)[kPathBytes]) {
    constexpr struct {
        const char* text;
        std::size_t length;
    } kOrigins[] = {{.text = "$ORIGIN", .length = 7}, {.text = "${ORIGIN}", .length = 9}};
    const auto directory = static_cast<int>(file_name(origin) - origin);
    int written = -1;
    for (const auto& name : kOrigins) {
        if (length < name.length || std::strncmp(entry, name.text, name.length) != 0) continue;
        const auto rest = static_cast<int>(length - name.length);
        written = directory == 0 ? std::snprintf(path, kPathBytes, ".%.*s/%s", rest, entry + name.length, soname)
                                 : std::snprintf(path, kPathBytes, "%.*s%.*s/%s", directory - 1, origin, rest,
                                                 entry + name.length, soname);
    }
    if (written < 0) written = std::snprintf(path, kPathBytes, "%.*s/%s", static_cast<int>(length), entry, soname);
    return written > 0 && static_cast<std::size_t>(written) < kPathBytes && access(path, R_OK) == 0;
}

bool find_in(const char* directories, const char* origin, const char* soname, char (&path)[kPathBytes]) {
    while (directories != nullptr && *directories != '\0') {
        const std::size_t length = std::strcspn(directories, ":;");
        if (candidate(directories, length, origin, soname, path)) return true;
        directories += length + (directories[length] != '\0' ? 1 : 0);
    }
    return false;
}

/// The list of libraries that ldconfig(8) keeps (glibc: sysdeps/generic/dl-cache.h).
bool find_in_cache(const char* soname, char (&path)[kPathBytes]) {
    struct Header {
        char magic[20];
        std::uint32_t count;
        std::uint32_t unused[6];
    };
    struct Entry {
        std::uint32_t flags;
        std::uint32_t key;
        std::uint32_t value;
        std::uint32_t unused[3];
    };
    const MappedFile cache("/etc/ld.so.cache");
    if (!cache || cache.bytes() < sizeof(Header)) return false;
    const auto* header = reinterpret_cast<const Header*>(cache.begin());
    const auto* entries = reinterpret_cast<const Entry*>(header + 1);
    if (std::memcmp(header->magic, "glibc-ld.so.cache1.1", sizeof header->magic) != 0) return false;
    if (header->count > (cache.bytes() - sizeof *header) / sizeof *entries) return false;
    const auto text = [&](std::uint32_t offset) { return offset < cache.bytes() ? cache.begin() + offset : ""; };
    for (std::uint32_t i = 0; i < header->count; ++i) {
        if (std::strcmp(text(entries[i].key), soname) != 0) continue;
        std::snprintf(path, kPathBytes, "%s", text(entries[i].value));
        if (MappedFile(path).object()) return true;
    }
    return false;
}

/// The file that the loader will open for a DT_NEEDED name, in the order of ld.so(8).
bool find_library(const char* soname, const Loaded& for_whom, char (&path)[kPathBytes]) {
    if (std::strchr(soname, '/') != nullptr) {
        return static_cast<std::size_t>(std::snprintf(path, kPathBytes, "%s", soname)) < kPathBytes;
    }
    const char* own = for_whom.object.first_text(DT_RUNPATH);
    for (const Loaded* at = &for_whom; own == nullptr && at != nullptr; at = at->by) {
        const bool counts = at->object.first_text(DT_RUNPATH) == nullptr;
        if (counts && find_in(at->object.first_text(DT_RPATH), at->path, soname, path)) return true;
    }
    return find_in(std::getenv("LD_LIBRARY_PATH"), "", soname, path) || find_in(own, for_whom.path, soname, path) ||
           find_in_cache(soname, path);
}

using Open = void* (*)(const char*, int);
using Ask = void* (*)(void*, const char*);

/// The libraries that the loader is about to load for a file, except those already loaded.
class Dependencies {
public:
    /// Opens the MPI library among the dependencies, if there is one.
    bool open_mpi(const Loaded& library, int depth = 0) {
        std::size_t at = 0;
        while (const char* soname = library.object.next_text(DT_NEEDED, at)) {
            char path[kPathBytes];
            if (!is_new(soname) || is_loaded(soname) || !find_library(soname, library, path)) continue;
            const MappedFile file(path);
            const Object object = file.object();
            if (object.find("PMPI_Init") != nullptr)
                return next_function<Open>("dlopen")(path, RTLD_LAZY | RTLD_LOCAL) != nullptr;
            if (depth < kDeepest && open_mpi({.object = object, .path = path, .by = &library}, depth + 1)) return true;
        }
        return false;
    }

private:
    bool is_new(const char* soname) {
        const std::uint32_t hash = SymbolName(soname).hash;
        for (std::size_t i = 0; i < count_; ++i) {
            if (seen_[i] == hash) return false;
        }
        if (count_ == kMostLibraries) return false;
        seen_[count_++] = hash;
        return true;
    }

    std::uint32_t seen_[kMostLibraries];
    std::size_t count_ = 0;
};

/// Calls `use` with the program's own file, and with the object that contains `address`.
template <class Use>
void with_callers(const void* address, Use use) {
    char program_path[kPathBytes] = {};
    if (readlink("/proc/self/exe", program_path, sizeof program_path - 1) < 0) return;
    Object program;
    Object caller;
    char caller_path[kPathBytes] = {};
    each_object([&](const dl_phdr_info& info) {
        const Object object(info);
        if (!program) program = object;
        if (!object.contains(address)) return false;
        caller = object;
        std::snprintf(caller_path, sizeof caller_path, "%s", *info.dlpi_name == '\0' ? program_path : info.dlpi_name);
        return true;
    });
    const Loaded first{.object = program, .path = program_path, .by = nullptr};
    use(Loaded{.object = caller, .path = caller_path, .by = &first});
}

void open_mpi_of(const char* name, const void* caller) {
    with_callers(caller, [&](const Loaded& by) {
        char path[kPathBytes];
        if (is_loaded(name) || !find_library(name, by, path)) return;
        const MappedFile file(path);
        const Object object = file.object();
        Dependencies dependencies;
        dependencies.open_mpi({.object = object, .path = path, .by = &by});
    });
}

__attribute__((constructor)) void start() {
    update_exports();
    unbind_weak_references();
}

}  // namespace
}  // namespace waywiser::profile

using namespace waywiser::profile;

extern "C" {

/// The result of dlopen or dlsym, or the function to continue with.
struct Detour {
    void* answer;
    void* next;
};

__attribute__((visibility("hidden"))) Detour waywiser_before_dlopen(const char* file, int flags, const void* caller) {
    const int kept = errno;
    update_exports();
    const bool new_file = file != nullptr && *file != '\0' && (flags & RTLD_NOLOAD) == 0;
    if (new_file && next_definition("PMPI_Init") == nullptr) {
        open_mpi_of(file, caller);
        update_exports();
    }
    errno = kept;
    return {.answer = nullptr, .next = next_definition("dlopen")};
}

/// A lookup in the program's own handle returns the wrapper if it would find the function that the wrapper calls. Any
/// other function (a tool's, another library's) is returned unchanged.
__attribute__((visibility("hidden"))) Detour waywiser_before_dlsym(void* handle, const char* name, const void*) {
    void* next = next_definition("dlsym");
    const Detour go_on{.answer = nullptr, .next = next};
    if (name == nullptr || strncasecmp(name + (*name == 'o' ? 1 : 0), "mpi_", 4) != 0) return go_on;
    update_exports();
    if (handle == RTLD_DEFAULT || handle == RTLD_NEXT) return go_on;
    void* wrapper = exported(name);
    if (wrapper == nullptr) return go_on;
    const void* definition = reinterpret_cast<Ask>(next)(handle, name);
    return definition != nullptr && definition == next_definition(name) ? Detour{.answer = wrapper, .next = next}
                                                                        : go_on;
}
}

// A function in C could not leave its caller's return address in place.
#if defined(__x86_64__)
#define WAYWISER_DETOUR(name)                \
    asm(".text\n"                            \
        ".globl " #name                      \
        "\n"                                 \
        ".type " #name ", @function\n" #name \
        ":\n"                                \
        "  .cfi_startproc\n"                 \
        "  endbr64\n"                        \
        "  push %rdi\n"                      \
        "  .cfi_adjust_cfa_offset 8\n"       \
        "  push %rsi\n"                      \
        "  .cfi_adjust_cfa_offset 8\n"       \
        "  mov 16(%rsp), %rdx\n"             \
        "  sub $8, %rsp\n"                   \
        "  .cfi_adjust_cfa_offset 8\n"       \
        "  call waywiser_before_" #name      \
        "\n"                                 \
        "  add $8, %rsp\n"                   \
        "  .cfi_adjust_cfa_offset -8\n"      \
        "  pop %rsi\n"                       \
        "  .cfi_adjust_cfa_offset -8\n"      \
        "  pop %rdi\n"                       \
        "  .cfi_adjust_cfa_offset -8\n"      \
        "  test %rax, %rax\n"                \
        "  jnz 1f\n"                         \
        "  jmp *%rdx\n"                      \
        "1: ret\n"                           \
        "  .cfi_endproc\n"                   \
        ".size " #name ", . - " #name "\n")
#elif defined(__aarch64__)
#define WAYWISER_DETOUR(name)                \
    asm(".text\n"                            \
        ".globl " #name                      \
        "\n"                                 \
        ".type " #name ", @function\n" #name \
        ":\n"                                \
        "  .cfi_startproc\n"                 \
        "  stp x29, x30, [sp, #-32]!\n"      \
        "  .cfi_def_cfa_offset 32\n"         \
        "  .cfi_offset 29, -32\n"            \
        "  .cfi_offset 30, -24\n"            \
        "  stp x0, x1, [sp, #16]\n"          \
        "  mov x2, x30\n"                    \
        "  bl waywiser_before_" #name        \
        "\n"                                 \
        "  mov x16, x1\n"                    \
        "  mov x17, x0\n"                    \
        "  ldp x0, x1, [sp, #16]\n"          \
        "  ldp x29, x30, [sp], #32\n"        \
        "  .cfi_restore 29\n"                \
        "  .cfi_restore 30\n"                \
        "  .cfi_def_cfa_offset 0\n"          \
        "  cbnz x17, 1f\n"                   \
        "  br x16\n"                         \
        "1: mov x0, x17\n"                   \
        "  ret\n"                            \
        "  .cfi_endproc\n"                   \
        ".size " #name ", . - " #name "\n")
#endif

WAYWISER_DETOUR(dlopen);
WAYWISER_DETOUR(dlsym);
