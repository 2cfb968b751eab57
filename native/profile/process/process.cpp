#include "profile/process/process.hpp"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/open_mpi.hpp"
#include "profile/preload/library.hpp"
#include "profile/preload/preload_list.hpp"
#include "profile/process/counters.hpp"
#include "profile/process/node.hpp"

namespace waywiser::profile {
namespace {

std::uint64_t nanoseconds(const timeval& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_usec) * 1000U;
}

template <std::size_t N>
const char* read_status(char (&text)[N]) {
    (void)!read_file("/proc/self/status", text);
    return text;
}

/// Time in the run queue: the second number of schedstat (Documentation/scheduler/sched-stats.rst).
std::uint64_t queued_ns() {
    char text[128];
    (void)!read_file("/proc/self/schedstat", text);
    const char* second = std::strchr(text, ' ');
    return second == nullptr ? state::kUnknown : std::strtoull(second, nullptr, 10);
}

/// The value between `key` and the end of its line; null if `key` is not found.
const char* value_of(const char* text, const char* key) {
    const char* value = std::strstr(text, key);
    if (value == nullptr) return nullptr;
    value += std::strlen(key);
    while (*value == ' ' || *value == '\t') ++value;
    return value;
}

/// Largest resident set so far. The value is read from /proc: getrusage's ru_maxrss survives exec, so that a small
/// program would show the memory of its launcher.
std::uint64_t peak_memory_bytes() {
    char text[4096];
    const char* kilobytes = value_of(read_status(text), "VmHWM:");
    return kilobytes == nullptr ? 0 : std::strtoull(kilobytes, nullptr, 10) * 1024U;
}

const char* open_mpi_pml() {
    const char* component = static_cast<const char*>(variable("mca_pml_base_selected_component"));
    return component == nullptr ? nullptr : open_mpi_component_name(component, "pml");
}

}  // namespace

void sample_metrics(state::Metrics& metrics) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    metrics.at<"cpu_ns">() = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
    metrics.at<"voluntary_switches">() = static_cast<std::uint64_t>(usage.ru_nvcsw);
    metrics.at<"involuntary_switches">() = static_cast<std::uint64_t>(usage.ru_nivcsw);
    metrics.at<"queued_ns">() = queued_ns();
    metrics.at<"peak_memory_bytes">() = peak_memory_bytes();
    sample_counters(metrics);
}

void describe_process(state::Header& header) {
    utsname name{};
    if (uname(&name) == 0) copy_line(header.host, name.nodename);
    char text[16384];  // A mask of 8192 CPUs and a long list of groups may precede the value.
    if (const char* cpus = value_of(read_status(text), "Cpus_allowed_list:")) copy_line(header.cpus, cpus);
}

void describe_transport(state::Header& header, const char* library_version) {
    char name[64] = {};
    if (const char* pml = open_mpi_pml()) {
        copy_line(name, pml);
        std::snprintf(header.transport, sizeof header.transport, "pml %s", name);
    } else if (const char* device = value_of(library_version, "MPICH Device:")) {
        copy_line(header.transport, device);
    }
}

void leave_environment() {
    leave_preload_list();
    unsetenv("WAYWISER_RUN");
    unsetenv("WAYWISER_STATE");
    unsetenv("WAYWISER_OPTIONS");
}

}  // namespace waywiser::profile
