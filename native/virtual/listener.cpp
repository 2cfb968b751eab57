/// The profiler's hooks. No hook throws: an error stops the virtual clock of this process and is reported.
#include "profile/tracing/listener.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>

#include "virtual/rank.hpp"

namespace waywiser::virtual_clocks {
namespace {

constinit Rank* rank = nullptr;  ///< lives until the process ends, because a program's last calls may come late
constinit bool stopped = true;
constinit bool is_open = false;
constinit char path[4096] = {};  ///< path of the settings

void stop(const std::exception& error) {
    stopped = true;
    if (rank == nullptr) return;
    rank->remark(error.what());
    rank->lose("MPI or memory has failed");
}

/// Runs one thread's call at a time; a concurrent call makes the rank lost, which ends the other call's wait. If MPI
/// calls a function of the program within the listener's own calls, the calls of that function do not count as the
/// program's time.
template <class Do>
void guarded(Do&& act) noexcept {
    static constinit std::atomic_flag taken;
    static thread_local bool is_within = false;
    if (is_within) return;
    while (taken.test_and_set(std::memory_order_acquire)) {
        if (rank != nullptr) rank->lose("several threads of a rank have called MPI at once");
        sched_yield();
    }
    is_within = true;
    try {
        act();
    } catch (const std::exception& error) {
        stop(error);
    }
    is_within = false;
    taken.clear(std::memory_order_release);
}

/// Writes this rank's line to the node's file beside the settings, in a single write, so that lines stay whole.
void write_report() {
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    const std::string settings = path;
    const std::string file = settings.substr(0, settings.rfind('/') + 1) + host + ".virtual";
    const int report = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    const std::string line = rank->report() + "\n";
    if (report < 0 || write(report, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        std::fprintf(stderr, "waywiser: %s cannot be written: a rank's virtual clock is lost\n", file.c_str());
    if (report >= 0) close(report);
}

void open_rank(const profile::ListenerServices& services, bool can_report) {
    guarded([&] {
        const char* settings_path = std::getenv("WAYWISER_VIRTUAL");
        if (settings_path != nullptr) std::snprintf(path, sizeof path, "%s", settings_path);
        unsetenv("WAYWISER_VIRTUAL");
        Settings settings;
        bool has_settings = true;
        try {
            settings = read_settings(path);
        } catch (const std::exception& error) {
            has_settings = false;
            std::fprintf(stderr, "waywiser: %s; there are no virtual clocks\n", error.what());
        }
        rank = new Rank(services, std::move(settings), can_report && has_settings);
        is_open = true;
        stopped = !rank->follows();
        if (stopped) rank->lose("a rank has no room for its calls, or cannot read what machine it is");
    });
}

/// Also creates the shadow communicator after a stop, since the other ranks wait for this rank. Ranks of other
/// communicators may wait meanwhile: no rank can continue until the shadow communicator exists.
void make(std::int32_t number, Handle communicator) {
    if (!is_open || !rank->follows()) return;
    std::shared_ptr<ShadowCommunicator> shadow;
    try {
        shadow = rank->make_shadow(communicator);
    } catch (const std::exception& error) {
        return guarded([&] { throw Lost(error.what()); });
    }
    guarded([&] { rank->add(number, std::move(shadow)); });
}

void sends(const state::TraceKey& key, std::uint64_t begin) {
    if (!stopped) guarded([&] { rank->sends(key, begin); });
}

void call(const state::TraceKey& key, std::uint64_t begin, std::uint64_t end) {
    if (!stopped) guarded([&] { rank->call(key, begin, end); });
}

void close_rank(std::uint64_t begin) {
    if (!is_open) return;
    if (!stopped) guarded([&] { rank->close(begin); });
    stopped = true;
    is_open = false;
    guarded(write_report);
}

}  // namespace
}  // namespace waywiser::virtual_clocks

using namespace waywiser;

#pragma GCC visibility push(default)
extern "C" {

extern const profile::Listener waywiser_listener;
const profile::Listener waywiser_listener = {.open = virtual_clocks::open_rank,
                                             .communicator = virtual_clocks::make,
                                             .sends = virtual_clocks::sends,
                                             .call = virtual_clocks::call,
                                             .close = virtual_clocks::close_rank};

}  // extern "C"
#pragma GCC visibility pop
