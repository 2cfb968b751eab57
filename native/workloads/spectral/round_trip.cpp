#include "workloads/spectral/round_trip.hpp"

#include "base/hash.hpp"

#include <algorithm>

namespace waywiser::spectral {

std::array<double, 2> random_coefficient(std::uint64_t seed, Index level, const Harmonic& harmonic) {
    const Index number = harmonic.degree * (harmonic.degree + 1) / 2 + harmonic.wave;
    std::uint64_t state = splitmix(splitmix(splitmix(seed + kGolden) + static_cast<std::uint64_t>(level)) +
                                   static_cast<std::uint64_t>(number));
    std::array<double, 2> values{};
    for (double& value : values) {
        state += kGolden;
        value = std::ldexp(static_cast<double>(splitmix(state) >> 11U), -52) - 1;
    }
    if (harmonic.wave == 0) values[1] = 0;
    return values;
}

RoundTrip::RoundTrip(const Machinery& machinery, std::uint64_t seed)
    : m_(machinery),
      transform_(m_, 1, 0),
      columns_(m_, transform_.spectrum()),
      start_(static_cast<std::size_t>(columns_.size())),
      end_(static_cast<std::size_t>(columns_.size())),
      spectrum_(static_cast<std::size_t>(transform_.spectrum().size())),
      points_(static_cast<std::size_t>(transform_.points().size())) {
    std::fill_n(spectrum_.data(), spectrum_.size(), 0.0);
    double* to = start_.data();
    for (const Harmonic& harmonic : columns_.harmonics()) {
        for (Index level = 0; level < m_.layout->levels(); ++level) {
            to = std::ranges::copy(random_coefficient(seed, level, harmonic), to).out;
        }
    }
}

void RoundTrip::run() {
    columns_.to_spectrum(start_.data(), spectrum_.data());
    transform_.inverse(spectrum_.data(), points_.data());
    transform_.direct(points_.data(), spectrum_.data());
    columns_.from_spectrum(spectrum_.data(), end_.data());
}

double RoundTrip::error() const {
    double greatest = 0;
    for (std::size_t k = 0; k < start_.size(); ++k) {
        greatest = greater(greatest, end_.data()[k] - start_.data()[k]);
    }
    return greatest;
}

std::uint64_t RoundTrip::checksum() const { return grid_checksum(m_, 1, transform_.points(), points_.data()); }

std::vector<double> RoundTrip::probes() const { return grid_probes(m_, 1, transform_.points(), points_.data()); }

}  // namespace waywiser::spectral
