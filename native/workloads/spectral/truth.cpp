#include "workloads/spectral/truth.hpp"

#include "base/hash.hpp"

#include <algorithm>
#include <bit>

namespace waywiser::spectral {
namespace {

/// Calls `body(number, latitude)` for each latitude of the rank.
template <class Body>
void each_latitude(const Machinery& m, Body body) {
    const std::vector<Index>& latitudes = m.layout->latitudes(m.teams->w());
    for (std::size_t number = 0; number < latitudes.size(); ++number) body(number, latitudes[number]);
}

}  // namespace

std::uint64_t grid_checksum(const Machinery& m, Index kinds, const Points& points, const double* values) {
    std::uint64_t sum = 0;
    const Index fields = kinds * m.layout->levels();
    each_latitude(m, [&](std::size_t number, Index latitude) {
        const Range longitudes = m.layout->longitudes(latitude, m.teams->v());
        const double* value = values + points.begin(number);
        for (Index field = 0; field < fields; ++field) {
            for (Index longitude = longitudes.begin; longitude < longitudes.end; ++longitude) {
                const auto place =
                    static_cast<std::uint64_t>((latitude * fields + field) * 8 * m.layout->grid().rings() + longitude);
                sum += splitmix(std::bit_cast<std::uint64_t>(*value++) ^ splitmix(place + kGolden));
            }
        }
    });
    return sum;
}

std::vector<double> grid_probes(const Machinery& m, Index kinds, const Points& points, const double* values) {
    std::vector<double> probes(static_cast<std::size_t>(2 * kinds * probed_latitudes));
    each_latitude(m, [&](std::size_t number, Index latitude) {
        const Range longitudes = m.layout->longitudes(latitude, m.teams->v());
        const Index longitude = m.layout->grid().longitudes(latitude) / 3;
        if (longitude < longitudes.begin || longitude >= longitudes.end) return;
        for (Index probe = 0; probe < probed_latitudes; ++probe) {
            if (latitude != probe * m.layout->grid().latitudes() / probed_latitudes) continue;
            for (Index field = 0; field < 2 * kinds; ++field) {
                const Index kind = field % kinds;
                const Index level = field / kinds * (m.layout->levels() - 1);
                probes[static_cast<std::size_t>(2 * kinds * probe + field)] =
                    values[points.begin(number) + (kind * m.layout->levels() + level) * longitudes.size() + longitude -
                           longitudes.begin];
            }
        }
    });
    return probes;
}

double orthonormality(const Machinery& m) {
    const Index truncation = m.layout->grid().truncation();
    const std::vector<Index>& waves = m.legendre->waves();
    double greatest = 0;
    for (const Index wave : {Index{0}, truncation / 3, truncation}) {
        const auto position = std::ranges::find(waves, wave);
        if (position == waves.end()) continue;
        greatest = greater(greatest, m.legendre->defect(static_cast<std::size_t>(position - waves.begin()), *m.gauss));
    }
    return greatest;
}

}  // namespace waywiser::spectral
