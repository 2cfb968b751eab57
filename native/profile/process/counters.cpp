#include "profile/process/counters.hpp"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "profile/process/node.hpp"

namespace waywiser::profile {
namespace {

struct Counter {
    int descriptor = -1;
    std::uint64_t id = 0;
    std::uint64_t latest = 0;
};

constinit Counter instructions;
constinit Counter cycles;

/// Descriptors from this number on belong to the profiler, so that the program's own have the numbers that it expects.
constexpr int kFirstDescriptor = 900;

/// \return 0, or the errno of the refusal
int open_counter(Counter& counter, std::uint64_t event) {
    perf_event_attr attributes{};
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.size = sizeof attributes;
    attributes.config = event;
    attributes.inherit = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    const long low = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (low < 0) return errno;
    counter.descriptor = fcntl(static_cast<int>(low), F_DUPFD_CLOEXEC, kFirstDescriptor);
    close(static_cast<int>(low));
    if (counter.descriptor >= 0 && ioctl(counter.descriptor, PERF_EVENT_IOC_ID, &counter.id) != 0) {
        close(counter.descriptor);
        counter.descriptor = -1;
    }
    return counter.descriptor < 0 ? EMFILE : 0;
}

std::int32_t perf_event_paranoid() {
    char text[16];
    char* end = nullptr;
    (void)!read_file("/proc/sys/kernel/perf_event_paranoid", text);
    const long value = std::strtol(text, &end, 10);
    return end == text ? state::kNoSetting : static_cast<std::int32_t>(value);
}

/// Reads a counter. The program may have closed the descriptor and reused its number for a file of its own: then the
/// identity differs, and nothing is read.
std::uint64_t read_counter(Counter& counter) {
    std::uint64_t id = 0;
    std::uint64_t value = 0;
    if (counter.descriptor < 0) return 0;
    if (ioctl(counter.descriptor, PERF_EVENT_IOC_ID, &id) != 0 || id != counter.id) return counter.latest;
    if (::read(counter.descriptor, &value, sizeof value) == sizeof value) counter.latest = value;
    return counter.latest;
}

}  // namespace

void open_counters(state::Header& header) {
    const int first = open_counter(instructions, PERF_COUNT_HW_INSTRUCTIONS);
    const int second = open_counter(cycles, PERF_COUNT_HW_CPU_CYCLES);
    header.counters_error = first != 0 ? first : second;
    header.perf_event_paranoid = header.counters_error == 0 ? state::kNoSetting : perf_event_paranoid();
}

void sample_counters(state::Metrics& metrics) {
    metrics.at<"instructions">() = read_counter(instructions);
    metrics.at<"cycles">() = read_counter(cycles);
}

}  // namespace waywiser::profile
