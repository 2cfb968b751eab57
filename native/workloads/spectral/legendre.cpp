#include "workloads/spectral/legendre.hpp"

#include "workloads/common/greatest.hpp"

#include <algorithm>
#include <cmath>

namespace waywiser::spectral {

double epsilon(Index degree, Index wave) {
    const auto n = static_cast<double>(degree);
    const auto m = static_cast<double>(wave);
    return std::sqrt((n * n - m * m) / (4 * n * n - 1));
}

Legendre::Legendre(const Grid& grid, const Gauss& gauss, const std::vector<Index>& waves) : grid_(grid), waves_(waves) {
    Index size = 0;
    for (std::size_t number = 0; number < waves_.size(); ++number) {
        const Index rows = grid.rings() - grid.first_ring(waves_[number]);
        for (const Index parity : {0, 1}) {
            begin_.push_back(size);
            size += blocks(rows) * rings_a_block * stored(number, parity);
        }
    }
    values_ = Array<double>(static_cast<std::size_t>(size));
    std::fill_n(values_.data(), size, 0.0);
    const auto count = static_cast<Index>(waves_.size());
#pragma omp parallel for schedule(dynamic)
    for (Index at = 0; at < count; ++at) {
        const auto number = static_cast<std::size_t>(at);
        const Index wave = waves_[number];
        // The first value is computed from its logarithm, since the power of the cosine alone underflows too early.
        double log_factor = std::log(0.5);
        for (Index j = 1; j <= wave; ++j) {
            log_factor += std::log1p(1 / (2 * static_cast<double>(j)));
        }
        std::vector<double> factors;
        for (Index n = wave; n <= greatest_degree(); ++n) factors.push_back(epsilon(n, wave));
        const Index first = grid.first_ring(wave);
        for (Index ring = first; ring < grid.rings(); ++ring) {
            const double mu = gauss.sines[static_cast<std::size_t>(ring)];
            const double square = gauss.squares[static_cast<std::size_t>(ring)];
            double last = 0;
            double value = std::exp(0.5 * (log_factor + static_cast<double>(wave) * std::log(square)));
            for (Index n = wave; n <= greatest_degree(); ++n) {
                const Index above = n - wave;
                const Index parity = above % 2;
                values_[begin_[2 * number + static_cast<std::size_t>(parity)] +
                        place(ring - first, above / 2, stored(number, parity))] = value;
                if (n == greatest_degree()) break;
                const auto k = static_cast<std::size_t>(above);
                const double next = (mu * value - factors[k] * last) / factors[k + 1];
                last = value;
                value = next;
            }
        }
    }
}

double Legendre::defect(std::size_t number, const Gauss& gauss) const {
    const Index wave = waves_[number];
    const Index first = grid_.first_ring(wave);
    double greatest = 0;
    for (const Index parity : {0, 1}) {
        const Index count = degrees(wave, parity, grid_.truncation());
        const double* const values = functions(number, parity);
        const Index all = stored(number, parity);
        for (Index a = 0; a < count; ++a) {
            for (Index b = 0; b <= a; ++b) {
                double sum = a == b ? -1 : 0;
                for (Index ring = first; ring < grid_.rings(); ++ring) {
                    sum += 2 * gauss.weights[static_cast<std::size_t>(ring)] * values[place(ring - first, a, all)] *
                           values[place(ring - first, b, all)];
                }
                greatest = greater(greatest, sum);
            }
        }
    }
    return greatest;
}

}  // namespace waywiser::spectral
