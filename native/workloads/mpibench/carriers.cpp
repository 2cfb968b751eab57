#include "workloads/mpibench/carriers.hpp"

#include "workloads/mpibench/single_copy.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>

namespace waywiser::mpibench {
namespace {

/// A device that a process maps into memory when it communicates through the device.
struct Device {
    std::string_view file;  ///< prefix of the device file's name
    std::string_view name;
    bool inside;  ///< used within a host, rather than between hosts
};

constexpr std::array devices{Device{"/dev/xpmem", "XPMEM", true}, Device{"/dev/hfi1", "Omni-Path", false},
                             Device{"/dev/cxi", "Slingshot", false}, Device{"/dev/infiniband/uverbs", "verbs", false}};

std::uint64_t mapped_devices() {
    std::uint64_t mapped = 0;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        const std::size_t path = line.find('/');
        if (path == std::string::npos) continue;
        for (std::size_t i = 0; i < devices.size(); ++i) {
            if (std::string_view(line).substr(path).starts_with(devices[i].file)) mapped |= std::uint64_t{1} << i;
        }
    }
    return mapped;
}

/// Returns the IPv4 or IPv6 address of a socket, without its port.
std::optional<std::string> address_of(int socket, int (*ask)(int, sockaddr*, socklen_t*)) {
    sockaddr_storage address{};
    socklen_t bytes = sizeof address;
    if (ask(socket, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) return std::nullopt;
    std::array<char, INET6_ADDRSTRLEN> text{};
    const void* number = address.ss_family == AF_INET6
                             ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(&address)->sin6_addr)
                             : &reinterpret_cast<const sockaddr_in*>(&address)->sin_addr;
    if (inet_ntop(address.ss_family, number, text.data(), text.size()) == nullptr) return std::nullopt;
    return text.data();
}

void add_connection(int socket, Traffic& traffic) {
    tcp_info info{};
    socklen_t bytes = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) return;
    const std::optional<std::string> own = address_of(socket, getsockname);
    const std::optional<std::string> peer = address_of(socket, getpeername);
    if (!own || !peer) return;
    (*own == *peer ? traffic.tcp_inside_bytes : traffic.tcp_between_bytes) +=
        static_cast<std::int64_t>(info.tcpi_bytes_received);
}

void add_connections(Traffic& traffic) {
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir("/proc/self/fd"), closedir);
    if (!directory) return;
    while (const dirent* entry = readdir(directory.get())) {
        const std::string_view name = entry->d_name;
        int file = -1;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), file);
        if (error == std::errc{} && end == name.data() + name.size()) add_connection(file, traffic);
    }
}

std::string with_devices(std::string text, std::uint64_t mapped, bool inside) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (devices[i].inside != inside || (mapped >> i & 1U) == 0) continue;
        text += (text.empty() ? "" : " + ") + std::string(devices[i].name);
    }
    return text;
}

std::string inside_host(const Traffic& seen, std::int64_t least) {
    const std::string first = seen.tcp_inside_bytes >= least ? "TCP" : "shared memory";
    return with_devices(first + (seen.single_copy_bytes > 0 ? " + CMA" : ""), seen.devices, true);
}

std::string between_hosts(const Traffic& seen, std::int64_t least) {
    if (seen.tcp_between_bytes >= least) return "TCP";
    const std::string mapped = with_devices("", seen.devices, false);
    return mapped.empty() ? "unknown" : mapped;
}

}  // namespace

Traffic traffic() {
    Traffic current{.single_copy_bytes = single_copy_bytes(), .devices = mapped_devices()};
    add_connections(current);
    return current;
}

Traffic traffic_since(const Traffic& before, MPI_Comm ranks) {
    const Traffic now = traffic();
    const std::array own{now.tcp_inside_bytes - before.tcp_inside_bytes,
                         now.tcp_between_bytes - before.tcp_between_bytes,
                         now.single_copy_bytes - before.single_copy_bytes};
    std::array<std::int64_t, 3> all{};
    Traffic total;
    MPI_Reduce(own.data(), all.data(), static_cast<int>(own.size()), MPI_INT64_T, MPI_SUM, 0, ranks);
    MPI_Reduce(&now.devices, &total.devices, 1, MPI_UINT64_T, MPI_BOR, 0, ranks);
    total.tcp_inside_bytes = all[0];
    total.tcp_between_bytes = all[1];
    total.single_copy_bytes = all[2];
    return total;
}

std::string name_carriers(const Traffic& seen, const Call& call, std::int64_t iterations) {
    constexpr std::int64_t header_bytes = 8;
    const std::int64_t least = header_bytes * std::max<std::int64_t>(iterations, 1);
    const std::string inside = call.inside ? inside_host(seen, least) : "";
    const std::string between = call.between ? between_hosts(seen, least) : "";
    if (inside.empty() || between.empty()) return inside + between;
    return inside + " inside, " + between + " between hosts";
}

std::string carried_text(const std::vector<Carried>& sizes) {
    std::string text;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool begins = i == 0 || sizes[i].by != sizes[i - 1].by;
        if (!begins || sizes[i].by.empty()) continue;
        text += (text.empty() ? "" : ", ") + sizes[i].by;
        if (i > 0) text += " from " + std::to_string(sizes[i].bytes) + " B";
    }
    return text;
}

}  // namespace waywiser::mpibench
