#include "workloads/spectral/transform.hpp"

#include "workloads/common/threads.hpp"

#include <algorithm>

namespace waywiser::spectral {
namespace {

Index fields_of(const Machinery& m, Index kinds, Index v) { return kinds * m.layout->levels(v).size(); }

Exchange between_waves_and_latitudes(const Machinery& m, Index kinds) {
    const Layout& layout = *m.layout;
    const Index w = m.teams->w();
    const Index fields = fields_of(m, kinds, m.teams->v());
    std::vector<Index> first;
    std::vector<Index> second;
    for (Index peer = 0; peer < layout.ranks().w; ++peer) {
        first.push_back(fields * layout.column_bytes(w, peer) / Index{sizeof(double)});
        second.push_back(fields * layout.column_bytes(peer, w) / Index{sizeof(double)});
    }
    return {m.teams->column(), *m.method, first, second};
}

Exchange between_fields_and_longitudes(const Machinery& m, Index kinds) {
    const Layout& layout = *m.layout;
    const Index w = m.teams->w();
    const Index v = m.teams->v();
    std::vector<Index> first;
    std::vector<Index> second;
    for (Index peer = 0; peer < layout.ranks().v; ++peer) {
        first.push_back(fields_of(m, kinds, v) * layout.row_bytes(w, peer) / Index{sizeof(double)});
        second.push_back(fields_of(m, kinds, peer) * layout.row_bytes(w, v) / Index{sizeof(double)});
    }
    return {m.teams->row(), *m.method, first, second};
}

}  // namespace

Spectrum::Spectrum(const Machinery& m, Index kinds) : fields_(fields_of(m, kinds, m.teams->v())) {
    Index size = 0;
    for (const Index wave : m.legendre->waves()) {
        for (const Index parity : {0, 1}) {
            begin_.push_back(size);
            size += degrees(wave, parity, m.legendre->greatest_degree()) * columns();
        }
    }
    begin_.push_back(size);
}

Points::Points(const Machinery& m, Index kinds) {
    Index size = 0;
    for (const Index latitude : m.layout->latitudes(m.teams->w())) {
        begin_.push_back(size);
        size += kinds * m.layout->levels() * m.layout->longitudes(latitude, m.teams->v()).size();
    }
    begin_.push_back(size);
}

Transform::Transform(const Machinery& machinery, Index kinds, Index above)
    : m_(machinery),
      grid_(m_.layout->grid()),
      latitudes_(m_.layout->latitudes(m_.teams->w())),
      waves_(m_.legendre->waves()),
      kinds_(kinds),
      greatest_(grid_.truncation() + above),
      spectrum_(m_, kinds),
      points_(m_, kinds),
      of_latitude_(static_cast<std::size_t>(grid_.latitudes())),
      room_(static_cast<std::size_t>(thread_limit() * 2 * grid_.rings() * spectrum_.columns())),
      columns_(between_waves_and_latitudes(m_, kinds)),
      across_(between_fields_and_longitudes(m_, kinds)) {
    Index begin = 0;
    for (Index w = 0; w < m_.layout->ranks().w; ++w) {
        for (const Index latitude : m_.layout->latitudes(w)) {
            of_latitude_[static_cast<std::size_t>(latitude)] = begin;
            begin += m_.layout->carried(m_.teams->w(), latitude) * spectrum_.values();
        }
    }
    Index size = 0;
    for (const Index latitude : latitudes_) {
        row_begin_.push_back(size);
        size += row_values(latitude) * spectrum_.fields();
        forward_.push_back(Plan::real_rows(grid_.longitudes(latitude), 1, true));
        backward_.push_back(Plan::real_rows(grid_.longitudes(latitude), 1, false));
    }
    rows_ = Array<double>(static_cast<std::size_t>(size));
    for (Index ring = 0; ring < grid_.rings(); ++ring) {
        weights_.push_back(m_.gauss->weights[static_cast<std::size_t>(ring)] /
                           static_cast<double>(grid_.longitudes(ring)));
    }
}

double Transform::legendre_flops() const {
    double products = 0;
    for (const Index wave : waves_) {
        products +=
            static_cast<double>(grid_.rings() - grid_.first_ring(wave)) * static_cast<double>(greatest_ - wave + 1);
    }
    return 2 * products * static_cast<double>(spectrum_.values());
}

void Transform::inverse(const double* spectrum, double* points) {
    watch_.lap_s();
    legendre(const_cast<double*>(spectrum), synthesise);  // A synthesis only reads the coefficients.
    lap(&Sections::legendre);
    columns_.there();
    lap(&Sections::exchange);
    to_rows();
    lap(&Sections::packing);
    fourier(false);
    lap(&Sections::fourier);
    pack_rows();
    lap(&Sections::packing);
    across_.there();
    lap(&Sections::exchange);
    unpack_points(points);
    lap(&Sections::packing);
}

void Transform::direct(const double* points, double* spectrum) {
    watch_.lap_s();
    pack_points(points);
    lap(&Sections::packing);
    across_.back();
    lap(&Sections::exchange);
    unpack_rows();
    lap(&Sections::packing);
    fourier(true);
    lap(&Sections::fourier);
    from_rows();
    lap(&Sections::packing);
    columns_.back();
    lap(&Sections::exchange);
    legendre(spectrum, analyse);
    lap(&Sections::legendre);
}

double* Transform::at(Index latitude, std::size_t number) {
    return columns_.first() + of_latitude_[static_cast<std::size_t>(latitude)] +
           static_cast<Index>(number) * spectrum_.values();
}

void Transform::legendre(double* spectrum, void (*multiply)(const Product&)) {
    const Index columns = spectrum_.columns();
    const auto count = static_cast<Index>(waves_.size());
#pragma omp parallel
    {
        std::vector<double*> north;
        std::vector<double*> south;
#pragma omp for schedule(dynamic)
        for (Index k = 0; k < count; ++k) {
            const auto number = static_cast<std::size_t>(k);
            const Index wave = waves_[number];
            const Index first = grid_.first_ring(wave);
            north.clear();
            south.clear();
            for (Index ring = first; ring < grid_.rings(); ++ring) {
                north.push_back(at(ring, number));
                south.push_back(at(grid_.latitudes() - 1 - ring, number));
            }
            Product product{.rings = grid_.rings() - first,
                            .degrees = {},
                            .stored = {},
                            .functions = {},
                            .values = spectrum_.values(),
                            .columns = columns,
                            .coefficients = {},
                            .north = north.data(),
                            .south = south.data(),
                            .weights = weights_.data() + first,
                            .room = room_.data() + 2 * thread_number() * grid_.rings() * columns};
            for (const Index parity : {0, 1}) {
                const auto p = static_cast<std::size_t>(parity);
                product.degrees[p] = degrees(wave, parity, greatest_);
                product.stored[p] = m_.legendre->stored(number, parity);
                product.functions[p] = m_.legendre->functions(number, parity);
                product.coefficients[p] = spectrum + spectrum_.begin(number, parity);
            }
            multiply(product);
        }
    }
}

/// Transposes each latitude's values from the order wave number, field to the order field, wave number.
void Transform::to_rows() {
    const Index fields = spectrum_.fields();
    std::vector<const double*> from;
    for (std::size_t w = 0; w < static_cast<std::size_t>(m_.layout->ranks().w); ++w) from.push_back(columns_.second(w));
    for (std::size_t number = 0; number < latitudes_.size(); ++number) {
        const Index latitude = latitudes_[number];
        double* const rows = rows_.data() + row_begin_[number];
        const Index length = row_values(latitude);
        std::fill_n(rows, length * fields, 0.0);
        for (std::size_t w = 0; w < from.size(); ++w) {
            const std::vector<Index>& waves = m_.layout->waves(static_cast<Index>(w));
            const Index carried = m_.layout->carried(static_cast<Index>(w), latitude);
            for (Index k = 0; k < carried; ++k) {
                double* const to = rows + 2 * waves[static_cast<std::size_t>(k)];
                for (Index field = 0; field < fields; ++field) {
                    to[field * length] = from[w][2 * field];
                    to[field * length + 1] = from[w][2 * field + 1];
                }
                from[w] += 2 * fields;
            }
        }
    }
}

void Transform::from_rows() {
    const Index fields = spectrum_.fields();
    std::vector<double*> to;
    for (std::size_t w = 0; w < static_cast<std::size_t>(m_.layout->ranks().w); ++w) to.push_back(columns_.second(w));
    for (std::size_t number = 0; number < latitudes_.size(); ++number) {
        const Index latitude = latitudes_[number];
        const double* const rows = rows_.data() + row_begin_[number];
        const Index length = row_values(latitude);
        for (std::size_t w = 0; w < to.size(); ++w) {
            const std::vector<Index>& waves = m_.layout->waves(static_cast<Index>(w));
            const Index carried = m_.layout->carried(static_cast<Index>(w), latitude);
            for (Index k = 0; k < carried; ++k) {
                const double* const from = rows + 2 * waves[static_cast<std::size_t>(k)];
                for (Index field = 0; field < fields; ++field) {
                    to[w][2 * field] = from[field * length];
                    to[w][2 * field + 1] = from[field * length + 1];
                }
                to[w] += 2 * fields;
            }
        }
    }
}

/// Transforms one row at a time, since FFTW rounds differently in plans for several rows.
void Transform::fourier(bool forward) {
    const auto count = static_cast<Index>(latitudes_.size());
#pragma omp parallel for schedule(dynamic)
    for (Index k = 0; k < count; ++k) {
        const auto number = static_cast<std::size_t>(k);
        const Plan& plan = (forward ? forward_ : backward_)[number];
        for (Index field = 0; field < spectrum_.fields(); ++field) {
            plan.run(rows_.data() + row_begin_[number] + field * row_values(latitudes_[number]));
        }
    }
}

void Transform::pack_rows() {
    for (Index v = 0; v < m_.layout->ranks().v; ++v) {
        double* to = across_.first(static_cast<std::size_t>(v));
        for (std::size_t number = 0; number < latitudes_.size(); ++number) {
            const Range longitudes = m_.layout->longitudes(latitudes_[number], v);
            const Index length = row_values(latitudes_[number]);
            const double* const rows = rows_.data() + row_begin_[number] + longitudes.begin;
            for (Index field = 0; field < spectrum_.fields(); ++field) {
                to = std::copy_n(rows + field * length, longitudes.size(), to);
            }
        }
    }
}

void Transform::unpack_rows() {
    for (Index v = 0; v < m_.layout->ranks().v; ++v) {
        const double* from = across_.first(static_cast<std::size_t>(v));
        for (std::size_t number = 0; number < latitudes_.size(); ++number) {
            const Range longitudes = m_.layout->longitudes(latitudes_[number], v);
            const Index length = row_values(latitudes_[number]);
            double* const rows = rows_.data() + row_begin_[number] + longitudes.begin;
            for (Index field = 0; field < spectrum_.fields(); ++field) {
                std::copy_n(from, longitudes.size(), rows + field * length);
                from += longitudes.size();
            }
        }
    }
}

void Transform::unpack_points(double* points) {
    for (Index v = 0; v < m_.layout->ranks().v; ++v) {
        const double* from = across_.second(static_cast<std::size_t>(v));
        const Range levels = m_.layout->levels(v);
        for (std::size_t number = 0; number < latitudes_.size(); ++number) {
            const Index length = m_.layout->longitudes(latitudes_[number], m_.teams->v()).size();
            for (Index kind = 0; kind < kinds_; ++kind) {
                double* const to =
                    points + points_.begin(number) + (kind * m_.layout->levels() + levels.begin) * length;
                std::copy_n(from, levels.size() * length, to);
                from += levels.size() * length;
            }
        }
    }
}

void Transform::pack_points(const double* points) {
    for (Index v = 0; v < m_.layout->ranks().v; ++v) {
        double* to = across_.second(static_cast<std::size_t>(v));
        const Range levels = m_.layout->levels(v);
        for (std::size_t number = 0; number < latitudes_.size(); ++number) {
            const Index length = m_.layout->longitudes(latitudes_[number], m_.teams->v()).size();
            for (Index kind = 0; kind < kinds_; ++kind) {
                const double* const from =
                    points + points_.begin(number) + (kind * m_.layout->levels() + levels.begin) * length;
                to = std::copy_n(from, levels.size() * length, to);
            }
        }
    }
}

}  // namespace waywiser::spectral
