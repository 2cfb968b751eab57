/// ww-collector: keeps the states of the processes of one run on one node.
///
///     ww-collector DIR RUN SECONDS
///
/// Ranks save themselves when they end. For those that cannot, because they were killed, the collector
/// saves the state that lies in the node's memory, at once when the process ends. Every SECONDS it
/// writes a copy of all live states to RUN/parts/NAME.copy, which is what remains if the node is
/// lost. It ends when the last process has ended; then that copy is removed, which says that the
/// node's file is whole.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "profile/collector/collector.hpp"
#include "profile/collector/energy.hpp"
#include "profile/process/clock.hpp"
#include "profile/process/node.hpp"
#include "trace/records/node_state.hpp"

namespace waywiser::profile {
namespace {

constexpr std::size_t kMostProcesses = 4096;
constexpr rlim_t kOtherDescriptors = 16;
constexpr int kLook_ms = 500;
constexpr std::uint64_t kSecond_ns = 1'000'000'000;
constexpr std::uint64_t kNodePeriod_ns = 60 * kSecond_ns;  ///< EnergyMeter

volatile std::sig_atomic_t copy_requested = 0;

void copy_now(int) { copy_requested = 1; }

struct Process {
    long pid;
    std::uint64_t started;
};

/// A live state's file, open for reading.
class LiveState {
public:
    LiveState(int directory, const char* name) : file_(openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {
        const ssize_t n = file_ < 0 ? -1 : pread(file_, page_, sizeof page_, 0);
        valid_ = n == sizeof page_ && std::memcmp(header().magic, state::kMagic, sizeof state::kMagic) == 0;
        empty_ = n == 0 || (n > 0 && header().magic[0] == '\0');  // The process had only just started.
    }

    ~LiveState() {
        if (file_ >= 0) close(file_);
    }

    LiveState(const LiveState&) = delete;
    LiveState& operator=(const LiveState&) = delete;

    [[nodiscard]] bool valid() const { return valid_; }
    [[nodiscard]] bool empty() const { return empty_; }
    [[nodiscard]] state::Header& header() { return *reinterpret_cast<state::Header*>(page_); }
    [[nodiscard]] std::uint64_t bytes() { return room_bytes(header().chunks); }

    /// Records that the process was alive at `moment`, which precedes the reading of its state. A process itself
    /// updates this time only at the end of a call. Without this, it would be unknown how long a killed rank was in its
    /// last call.
    void was_alive_at(const state::Calibration& moment) {
        const bool going_on = header().phase < state::Phase::finalised;
        if (going_on && moment.ticks > header().end.ticks) header().end = moment;
    }

    bool write_to(int file, std::uint64_t offset) {
        alignas(state::RecordHeader) static char chunk[state::kChunkBytes];
        for (std::uint64_t i = 0; i < header().chunks; ++i) {
            std::memset(chunk, 0, sizeof chunk);
            if (pread(file_, chunk, sizeof chunk, static_cast<off_t>(room_bytes(i))) < 0) return false;
            if (!write_at(file, chunk, used_bytes(chunk), offset + room_bytes(i))) return false;
        }
        return write_at(file, page_, sizeof page_, offset);
    }

private:
    int file_;
    bool valid_ = false;
    bool empty_ = false;
    alignas(state::Header) char page_[state::kHeaderBytes] = {};
};

/// Measures the node's quantities from outside the program.
class NodeMeter {
public:
    NodeMeter() : begin_ns_(monotonic_ns()) {
        std::memcpy(state().magic, state::kNodeMagic, sizeof state::kNodeMagic);
        state().pid = static_cast<std::uint32_t>(getpid());
        state().process_start = start_of(getpid());
        state().fields = trace::kNodeFields.size();
        utsname name{};
        if (uname(&name) == 0) std::snprintf(state().host, sizeof state().host, "%s", name.nodename);
    }

    void sample() {
        state().end_ns = monotonic_ns();
        state::field_of<"observed_ns">(state()).value = state().end_ns - begin_ns_;
        energy_.sample();
        state::NodeField& energy = state::field_of<"energy_uj">(state());
        energy.value = energy_.used_uj();
        std::snprintf(energy.unknown, sizeof energy.unknown, "%s", energy_.unknown());
    }

    void sample_if_due() {
        if (monotonic_ns() - state().end_ns >= kNodePeriod_ns) sample();
    }

    [[nodiscard]] bool write_to(int file, std::uint64_t offset) const {
        return write_at(file, page_, sizeof page_, offset);
    }

private:
    static const char* powercap() {
        const char* directory = std::getenv(kPowercapVariable);
        return directory == nullptr ? kPowercap : directory;
    }

    [[nodiscard]] state::NodeState& state() { return *reinterpret_cast<state::NodeState*>(page_); }

    std::uint64_t begin_ns_;
    EnergyMeter energy_{powercap()};
    alignas(state::NodeState) char page_[state::kHeaderBytes] = {};
};

/// Calls `visit(pid, name)` for every state in the directory.
/// \return false if the directory is gone
template <class Visit>
bool for_each_state(const char* path, Visit visit) {
    DIR* directory = opendir(path);
    if (directory == nullptr) return false;
    while (const dirent* entry = readdir(directory)) {
        char* end = nullptr;
        const long pid = std::strtol(entry->d_name, &end, 10);
        if (pid > 0 && std::strcmp(end, ".state") == 0) visit(pid, dirfd(directory), entry->d_name);
    }
    closedir(directory);
    return true;
}

class Collector {
public:
    Collector(const char* directory, const char* run, std::uint64_t period_ns, Ledger& ledger)
        : directory_(directory), run_(run), period_ns_(period_ns), ledger_(ledger) {
        rlimit files{};  // ppoll accepts no more descriptors than that.
        if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= kMostProcesses) return;
        most_ = files.rlim_cur > kOtherDescriptors ? files.rlim_cur - kOtherDescriptors : 1;
    }

    /// Collects states until no process of the node is left or the directory is gone.
    void keep() {
        copy_states();
        std::uint64_t next_copy = monotonic_ns() + period_ns_;
        while (watch_new() && count_ > 0) {
            wait();
            settle_ended();
            node_.sample_if_due();
            if (copy_requested == 0 && monotonic_ns() < next_copy) continue;
            copy_requested = 0;
            copy_states();
            next_copy = monotonic_ns() + period_ns_;
        }
    }

    /// Saves the remaining states and removes the directory.
    /// \return false if another process has started in the meantime
    bool finish() {
        bool saved = true;
        for_each_state(directory_,
                       [&](long, int directory, const char* name) { saved &= settle(directory, name, nullptr); });
        if (!saved) return true;  // The state exists nowhere but in memory.
        append_node();
        // If the run directory is gone, there is nothing to keep. If its disk fails, the copy remains, as after the
        // loss of a node.
        if (make_durable() && in_run(".copy")) unlink(path_);
        if (print_path(path_, "%s/ledger", directory_)) unlink(path_);
        return rmdir(directory_) == 0 || errno != ENOTEMPTY;
    }

private:
    bool in_run(const char* suffix) { return print_path(path_, "%s/parts/%s%s", run_, ledger_.name, suffix); }

    /// \return false if the directory is gone
    bool watch_new() {
        return for_each_state(directory_, [&](long pid, int directory, const char* name) {
            for (std::size_t i = 0; i < count_; ++i) {
                if (processes_[i].pid == pid) return;
            }
            const std::uint64_t started = start_of(pid);
            LiveState state(directory, name);
            // The PID belongs to another process, or the process is in another namespace, so it cannot be watched.
            const bool foreign = state.valid() && state.header().process_start != started;
            if (started == 0 || foreign || count_ == most_) return;
            processes_[count_] = {.pid = pid, .started = started};
            // The descriptor becomes readable when the process ends: pidfd_open(2), since Linux 5.3. Without
            // pidfd_open, the process is polled.
            const int descriptor = static_cast<int>(syscall(kPidfdOpen, pid, 0));
            ends_[count_] = {.fd = descriptor, .events = POLLIN, .revents = 0};
            ++count_;
        });
    }

    void wait() {
        sigset_t none;
        sigemptyset(&none);
        const timespec look{.tv_sec = 0, .tv_nsec = kLook_ms * 1'000'000L};
        if (ppoll(ends_, count_, &look, &none) < 0) {
            for (std::size_t i = 0; i < count_; ++i) ends_[i].revents = 0;
        }
    }

    [[nodiscard]] bool has_ended(std::size_t i) const {
        if (ends_[i].fd >= 0) return ends_[i].revents != 0;
        return start_of(processes_[i].pid) != processes_[i].started;
    }

    void settle_ended() {
        const state::Calibration now = calibrate();
        for (std::size_t i = 0; i < count_;) {
            if (!has_ended(i)) {
                ++i;
                continue;
            }
            char name[32];
            std::snprintf(name, sizeof name, "%ld.state", processes_[i].pid);
            const int directory = open(directory_, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            if (directory >= 0) {
                settle(directory, name, &now);
                close(directory);
            }
            if (ends_[i].fd >= 0) close(ends_[i].fd);
            --count_;
            processes_[i] = processes_[count_];
            ends_[i] = ends_[count_];
        }
    }

    /// Removes the state of a process that has ended, after saving it if the process could not.
    /// \param alive  the last time at which the process was known to be alive; null if unknown
    /// \return false if there is no room for it
    bool settle(int directory, const char* name, const state::Calibration* alive) {
        LiveState state(directory, name);
        if (state.valid()) {
            if (alive != nullptr) state.was_alive_at(*alive);
            if (alive == nullptr && state.header().phase < state::Phase::finalised) state.header().end_unseen = 1;
            if (!append(state)) return false;
        }
        if (state.valid() || state.empty()) unlinkat(directory, name, 0);
        return true;
    }

    bool append(LiveState& state) {
        if (!in_run(".states")) return false;
        const int file = open(path_, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0) return errno == ENOENT;  // The run is gone: it was merged or deleted.
        const bool written = state.write_to(file, take_place(ledger_, state.bytes()));
        return close(file) == 0 && written;
    }

    /// Appends the node's page if one of the node's processes has saved something.
    void append_node() {
        node_.sample();
        if (!in_run(".states")) return;
        const int file = open(path_, O_WRONLY | O_CLOEXEC);
        if (file < 0) return;
        (void)!node_.write_to(file, take_place(ledger_, state::kHeaderBytes));
        close(file);
    }

    void copy_states() {
        node_.sample();
        char temporary[kPathBytes];
        if (!in_run(".copy.tmp")) return;
        std::memcpy(temporary, path_, sizeof temporary);
        const int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (file < 0) return;
        bool written = true;
        std::uint64_t offset = 0;
        for_each_state(directory_, [&](long pid, int directory, const char* name) {
            const state::Calibration now = calibrate();
            LiveState state(directory, name);
            if (!state.valid()) return;
            if (start_of(pid) == state.header().process_start) state.was_alive_at(now);
            written = written && state.write_to(file, offset);
            offset += state.bytes();
        });
        written = written && (offset == 0 || node_.write_to(file, offset));
        written = uninterrupted([&] { return fsync(file); }) == 0 && written;
        written = close(file) == 0 && written;
        written = make_durable() && written;  // The copy no longer holds states that were saved since the last copy.
        if (!written || !in_run(".copy") || std::rename(temporary, path_) != 0) {
            unlink(temporary);
        } else {
            (void)!sync_parts(run_);  // A later copy may succeed.
        }
    }

    /// Flushes the node's file to disk. This must precede the removal of the copy, so that a node's loss costs nothing.
    /// \return false if that failed
    bool make_durable() {
        if (!in_run(".states")) return false;
        const int file = uninterrupted([&] { return open(path_, O_WRONLY | O_CLOEXEC); });
        if (file < 0) return errno == ENOENT;  // Nothing was saved, or the run is gone.
        const bool synced = uninterrupted([&] { return fsync(file); }) == 0;
        close(file);
        return synced && sync_parts(run_);
    }

    static constexpr long kPidfdOpen = 434;  // This number is the same on all architectures, but older headers lack it.

    const char* directory_;
    const char* run_;
    std::uint64_t period_ns_;
    Ledger& ledger_;
    char path_[kPathBytes] = {};
    std::size_t most_ = kMostProcesses;
    std::size_t count_ = 0;
    NodeMeter node_;
    Process processes_[kMostProcesses] = {};
    pollfd ends_[kMostProcesses] = {};
};

/// Detaches the process from what it inherits from the launcher: pipes, working directory, CPU mask and signals.
void detach() {
    const int null = open("/dev/null", O_RDWR);
    for (int standard = 0; standard <= 2; ++standard) dup2(null, standard);
    if (DIR* open_files = opendir("/proc/self/fd")) {
        while (const dirent* entry = readdir(open_files)) {
            const int descriptor = static_cast<int>(std::strtol(entry->d_name, nullptr, 10));
            if (descriptor > kLockDescriptor && descriptor != dirfd(open_files)) close(descriptor);
        }
        closedir(open_files);
    }
    (void)!chdir("/");
    rlimit files{};
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    // The collector must not share the first rank's CPU mask. The kernel reduces this mask to the allowed CPUs.
    cpu_set_t all;
    std::memset(&all, 0xff, sizeof all);
    sched_setaffinity(0, sizeof all, &all);
    setpriority(PRIO_PROCESS, 0, 19);
    struct sigaction action{};
    action.sa_handler = copy_now;
    sigset_t handled;
    sigemptyset(&handled);
    const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    for (const int number : numbers) {
        sigaction(number, &action, nullptr);
        sigaddset(&handled, number);
    }
    sigprocmask(SIG_SETMASK, &handled, nullptr);  // These signals are delivered only while the collector waits.
}

/// \return false if the function must be called again, because processes started meanwhile
bool keep_node(int lock, const char* directory, const char* run, std::uint64_t period_ns) {
    Ledger* ledger = map_ledger(lock);
    if (ledger == nullptr) return true;
    Collector collector(directory, run, period_ns, *ledger);
    collector.keep();
    const bool finished = collector.finish();
    munmap(ledger, sizeof *ledger);
    close(lock);
    return finished;
}

}  // namespace
}  // namespace waywiser::profile

int main(int argc, char** argv) {
    using namespace waywiser::profile;
    const double seconds = argc == 4 ? std::strtod(argv[3], nullptr) : 0;
    if (seconds <= 0 || fcntl(kLockDescriptor, F_GETFD) < 0) {
        std::fputs("waywiser: ww-collector is started by ww-exec, with DIR RUN SECONDS\n", stderr);
        return 2;
    }
    detach();
    const auto period_ns = static_cast<std::uint64_t>(seconds * static_cast<double>(kSecond_ns));
    int lock = kLockDescriptor;
    while (lock >= 0 && !keep_node(lock, argv[1], argv[2], period_ns)) lock = claim_node(argv[1]);
    return 0;
}
