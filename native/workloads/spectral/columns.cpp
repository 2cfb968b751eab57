#include "workloads/spectral/columns.hpp"

#include <algorithm>

namespace waywiser::spectral {
namespace {

Exchange between_coefficients_and_levels(const Machinery& m) {
    const Layout& layout = *m.layout;
    const Index w = m.teams->w();
    const Index v = m.teams->v();
    std::vector<Index> first;
    std::vector<Index> second;
    for (Index peer = 0; peer < layout.ranks().v; ++peer) {
        first.push_back(layout.levels(peer).size() * layout.coefficient_bytes(w, v) / Index{sizeof(double)});
        second.push_back(layout.levels(v).size() * layout.coefficient_bytes(w, peer) / Index{sizeof(double)});
    }
    return {m.teams->row(), *m.method, first, second};
}

}  // namespace

Columns::Columns(const Machinery& machinery, const Spectrum& spectrum)
    : m_(machinery), exchange_(between_coefficients_and_levels(m_)) {
    std::vector<Harmonic> all;
    const std::vector<Index>& waves = m_.legendre->waves();
    for (std::size_t number = 0; number < waves.size(); ++number) {
        for (Index degree = waves[number]; degree <= m_.layout->grid().truncation(); ++degree) {
            all.push_back({waves[number], degree});
            places_.push_back(spectrum.at(number, waves[number], degree));
        }
    }
    const Range mine = part(m_.teams->v());
    own_.assign(all.begin() + mine.begin, all.begin() + mine.end);
}

void Columns::to_spectrum(const double* columns, double* spectrum) {
    watch_.lap_s();
    const Index row = 2 * m_.layout->levels();
    for (Index v = 0; v < m_.layout->ranks().v; ++v) {
        const Range levels = m_.layout->levels(v);
        double* to = exchange_.first(static_cast<std::size_t>(v));
        for (Index k = 0; k < static_cast<Index>(own_.size()); ++k) {
            to = std::copy_n(columns + k * row + 2 * levels.begin, 2 * levels.size(), to);
        }
    }
    m_.sections->packing += watch_.lap_s();
    exchange_.there();
    m_.sections->exchange += watch_.lap_s();
    const Index mine = 2 * m_.layout->levels(m_.teams->v()).size();
    const double* from = exchange_.second();
    for (const Index place : places_) {
        std::copy_n(from, mine, spectrum + place);
        from += mine;
    }
    m_.sections->packing += watch_.lap_s();
}

void Columns::from_spectrum(const double* spectrum, double* columns) {
    watch_.lap_s();
    const Index mine = 2 * m_.layout->levels(m_.teams->v()).size();
    double* to = exchange_.second();
    for (const Index place : places_) to = std::copy_n(spectrum + place, mine, to);
    m_.sections->packing += watch_.lap_s();
    exchange_.back();
    m_.sections->exchange += watch_.lap_s();
    const Index row = 2 * m_.layout->levels();
    for (Index v = 0; v < m_.layout->ranks().v; ++v) {
        const Range levels = m_.layout->levels(v);
        const double* from = exchange_.first(static_cast<std::size_t>(v));
        for (Index k = 0; k < static_cast<Index>(own_.size()); ++k) {
            std::copy_n(from, 2 * levels.size(), columns + k * row + 2 * levels.begin);
            from += 2 * levels.size();
        }
    }
    m_.sections->packing += watch_.lap_s();
}

}  // namespace waywiser::spectral
