/// Energy of the node's processor packages, by the kernel's counters (RAPL;
/// https://docs.kernel.org/power/powercap/powercap.html).
#pragma once

#include <cstddef>
#include <cstdint>

namespace waywiser::profile {

inline constexpr char kPowercap[] = "/sys/class/powercap";

/// Environment variable for another directory than `kPowercap`, for containers that mount the host's elsewhere.
inline constexpr char kPowercapVariable[] = "WAYWISER_POWERCAP";

/// Sums the packages' counters. A counter wraps at 262 kJ, within minutes, and must be sampled more often than that.
class EnergyMeter {
public:
    explicit EnergyMeter(const char* directory);

    /// Adds the energy used since the previous sample.
    void sample();

    [[nodiscard]] std::uint64_t used_uj() const { return used_uj_; }

    /// \return the reason why the energy is unknown, which then stays so; "" if it is known
    [[nodiscard]] const char* unknown() const { return unknown_; }

private:
    static constexpr std::size_t kMostPackages = 64;

    void sample(std::size_t i);
    bool read_number(std::size_t i, const char* name, std::uint64_t& number);

    const char* directory_;
    std::size_t packages_ = 0;
    unsigned long numbers_[kMostPackages] = {};
    std::uint64_t last_uj_[kMostPackages] = {};
    bool read_before_ = false;
    std::uint64_t used_uj_ = 0;
    char unknown_[160] = {};
};

}  // namespace waywiser::profile
