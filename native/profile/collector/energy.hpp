/// Energy of the node's processor packages, by the kernel's counters (RAPL;
/// https://docs.kernel.org/power/powercap/powercap.html).
#pragma once

#include <cstddef>
#include <cstdint>

namespace waywiser::profile {

inline constexpr char kPowercap[] = "/sys/class/powercap";

/// Names the directory where it is not `kPowercap`, as in containers that have the host's elsewhere.
inline constexpr char kPowercapVariable[] = "WAYWISER_POWERCAP";

/// A counter wraps within minutes, at 262 kJ: it is to be read more often than that.
class EnergyMeter {
public:
    explicit EnergyMeter(const char* directory);

    /// Adds what the packages have used since the sample before.
    void sample();

    [[nodiscard]] std::uint64_t used_uj() const { return used_uj_; }

    /// \return "" where the energy is known; once unknown, it stays so
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
