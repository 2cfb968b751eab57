#include "profile/collector/energy.hpp"

#include <dirent.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "profile/process/node.hpp"

namespace waywiser::profile {
namespace {

constexpr char kZone[] = "intel-rapl:";  // AMD's processors use this name, too.
constexpr char kPackage[] = "package";   // Other zones are "psys" (the platform) and parts of packages.

bool is_package(const char* directory, unsigned long number) {
    char path[kPathBytes];
    char name[64];
    return print_path(path, "%s/%s%lu/name", directory, kZone, number) && read_file(path, name) &&
           std::strncmp(name, kPackage, sizeof kPackage - 1) == 0;
}

}  // namespace

EnergyMeter::EnergyMeter(const char* directory) : directory_(directory) {
    if (DIR* zones = opendir(directory)) {
        while (const dirent* entry = readdir(zones)) {
            if (std::strncmp(entry->d_name, kZone, sizeof kZone - 1) != 0) continue;
            char* end = nullptr;
            const unsigned long number = std::strtoul(entry->d_name + sizeof kZone - 1, &end, 10);
            if (*end != '\0' || packages_ == kMostPackages || !is_package(directory, number)) continue;
            numbers_[packages_++] = number;
        }
        closedir(zones);
    }
    if (packages_ > 0) return;
    std::snprintf(unknown_, sizeof unknown_, "not available: no processor package in %.100s", directory);
}

bool EnergyMeter::read_number(std::size_t i, const char* name, std::uint64_t& number) {
    char path[kPathBytes];
    char text[64];
    (void)!print_path(path, "%s/%s%lu/%s", directory_, kZone, numbers_[i], name);  // A truncated path is not found.
    const bool read = read_file(path, text);
    if (read && std::isdigit(static_cast<unsigned char>(text[0])) != 0) {
        number = std::strtoull(text, nullptr, 10);
        return true;
    }
    const char* why = !read && (errno == EACCES || errno == EPERM) ? "permission denied"
                      : read                                       ? "not a number"
                                                                   : std::strerror(errno);
    std::snprintf(unknown_, sizeof unknown_, "not readable: %.100s: %.40s", path, why);
    return false;
}

void EnergyMeter::sample(std::size_t i) {
    std::uint64_t now_uj = 0;
    if (!read_number(i, "energy_uj", now_uj)) return;
    if (read_before_) {
        std::uint64_t range_uj = 0;
        const bool wrapped = now_uj < last_uj_[i];
        if (wrapped && !read_number(i, "max_energy_range_uj", range_uj)) return;
        used_uj_ += range_uj + now_uj - last_uj_[i];
    }
    last_uj_[i] = now_uj;
}

void EnergyMeter::sample() {
    for (std::size_t i = 0; i < packages_ && unknown_[0] == '\0'; ++i) sample(i);
    read_before_ = true;
}

}  // namespace waywiser::profile
