#include "standalone/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "trace/encoding/utf8.hpp"

namespace waywiser::standalone {
namespace {

/// The first line of a file, or "unknown".
std::string line_of(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    return std::getline(file, line) && !line.empty() ? trace::valid_utf8(line) : "unknown";
}

/// The value of a line `key : value` or `key=value`, without quotation marks, or "unknown".
std::string field_of(const std::string& path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(key)) continue;
        const std::size_t value = line.find_first_not_of(" \t:=\"", key.size());
        if (value == std::string::npos || value == key.size()) continue;
        return trace::valid_utf8(line.substr(value, line.find_last_not_of("\" \t") + 1 - value));
    }
    return "unknown";
}

/// The CPU's name; kernels for aarch64 give numbers instead.
std::string cpu() {
    const std::string file = "/proc/cpuinfo";
    const std::string name = field_of(file, "model name");
    const std::string part = field_of(file, "CPU part");
    if (name != "unknown" || part == "unknown") return name;
    return "Arm implementer " + field_of(file, "CPU implementer") + ", part " + part;
}

int directories_of(const std::string& parent, const std::string& name) {
    int count = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
        const std::string file = entry.path().filename();
        count += static_cast<int>(file.size() > name.size() && file.starts_with(name) &&
                                  std::isdigit(static_cast<unsigned char>(file[name.size()])) != 0);
    }
    return std::max(1, count);
}

}  // namespace

JsonObject machine() {
    utsname name{};
    uname(&name);
    std::set<std::string> sockets;
    std::set<std::pair<std::string, std::string>> cores;
    const std::string cpus = "/sys/devices/system/cpu/cpu";
    for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); ++cpu) {
        const std::string topology = cpus + std::to_string(cpu) + "/topology/";
        const std::string socket = line_of(topology + "physical_package_id");
        if (socket == "unknown") continue;  // The CPU is offline.
        sockets.insert(socket);
        cores.emplace(socket, line_of(topology + "core_id"));
    }
    const std::string smt = line_of("/sys/devices/system/cpu/smt/active");
    const auto at_least_one = [](std::size_t count) {
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(count));
    };
    JsonObject result;
    result.add("host", trace::valid_utf8(name.nodename))
        .add("kernel", std::string(name.sysname) + " " + name.release)
        .add("system", field_of("/etc/os-release", "PRETTY_NAME"))
        .add("cpu", cpu())
        .add("sockets", at_least_one(sockets.size()))
        .add("cores", at_least_one(cores.size()))
        .add("hardware_threads", static_cast<std::int64_t>(sysconf(_SC_NPROCESSORS_ONLN)))
        .add("smt", smt == "1"   ? "on"
                    : smt == "0" ? "off"
                                 : "unknown")
        .add("governor", line_of(cpus + "0/cpufreq/scaling_governor"))
        .add("numa_nodes", directories_of("/sys/devices/system/node", "node"))
        .add("memory_bytes", static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE));
    return result;
}

}  // namespace waywiser::standalone
