#include "trace/merging/not_counted.hpp"

#include <cerrno>

#include "trace/records/state.hpp"

namespace waywiser::trace {

std::string why_not_counted(std::int32_t error, std::int32_t paranoid) {
    const bool known = paranoid != state::kNoSetting;
    const std::string setting = "kernel.perf_event_paranoid is " + std::to_string(paranoid);
    switch (error) {
        case 0: return "";
        case EACCES:
        case EPERM:
            if (known && paranoid > 2) return "not permitted: " + setting + "; 2 or less permits it";
            return "not permitted: a seccomp filter, as containers have it, denies perf_event_open" +
                   (known ? " (" + setting + ")" : std::string());
        case ENOENT:
        case ENODEV:
        case EOPNOTSUPP: return "not available: the CPU or the virtual machine has no hardware counters";
        case ENOSYS: return "not available: the kernel, or a seccomp filter, has no perf_event_open";
        default: return "not available: perf_event_open failed with error " + std::to_string(error);
    }
}

}  // namespace waywiser::trace
