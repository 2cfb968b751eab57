/// Spherical-harmonic transforms of all levels of some fields, over a grid of ranks.
#pragma once

#include "workloads/common/fourier.hpp"
#include "workloads/common/sections.hpp"
#include "workloads/common/stopwatch.hpp"
#include "workloads/spectral/exchange.hpp"
#include "workloads/spectral/legendre.hpp"

namespace waywiser::spectral {

/// Times by section [s].
struct Sections {
    double legendre = 0;
    double fourier = 0;
    double packing = 0;
    double exchange = 0;
    double points = 0;  ///< time for grid points and coefficients outside transforms
};

inline constexpr Section<Sections> section_table[] = {{"legendre", "Legendre", &Sections::legendre},
                                                      {"fourier", "Fourier", &Sections::fourier},
                                                      {"packing", "packing", &Sections::packing},
                                                      {"exchange", "exchange", &Sections::exchange},
                                                      {"points", "points", &Sections::points}};

/// Data that the transforms of a rank share.
struct Machinery {
    const Layout* layout;
    const Gauss* gauss;
    const Legendre* legendre;
    const Teams* teams;
    const Method* method;
    Sections* sections;
};

/// Storage order of a rank's coefficients: by wave number, then degrees an even number above the wave number, then the
/// other degrees. Each degree has one complex number per field, then padding. Fields are ordered by kind, then by level
/// of the rank's set.
class Spectrum {
public:
    Spectrum(const Machinery& machinery, Index kinds);

    [[nodiscard]] Index fields() const { return fields_; }
    /// Number of values of a coefficient.
    [[nodiscard]] Index values() const { return 2 * fields_; }
    /// Distance of a coefficient from the next, in values.
    [[nodiscard]] Index columns() const { return (values() + greatest_panel - 1) / greatest_panel * greatest_panel; }
    [[nodiscard]] Index size() const { return begin_.back(); }
    [[nodiscard]] Index begin(std::size_t number, Index parity) const {
        return begin_[2 * number + static_cast<std::size_t>(parity)];
    }
    /// Offset of the first field's real part.
    [[nodiscard]] Index at(std::size_t number, Index wave, Index degree) const {
        return begin(number, (degree - wave) % 2) + (degree - wave) / 2 * columns();
    }

private:
    Index fields_;
    std::vector<Index> begin_;
};

/// Storage order of a rank's values on the grid: by latitude, then by kind and level, each with the rank's longitudes.
/// A rank has all levels.
class Points {
public:
    Points(const Machinery& machinery, Index kinds);

    [[nodiscard]] Index size() const { return begin_.back(); }
    [[nodiscard]] Index begin(std::size_t number) const { return begin_[number]; }

private:
    std::vector<Index> begin_;
};

class Transform {
public:
    /// \param above  greatest degree minus the truncation: 0 or 1
    Transform(const Machinery& machinery, Index kinds, Index above);

    [[nodiscard]] const Spectrum& spectrum() const { return spectrum_; }
    [[nodiscard]] const Points& points() const { return points_; }
    /// Flops of all products of a transform on this rank.
    [[nodiscard]] double legendre_flops() const;

    /// Collective.
    void inverse(const double* spectrum, double* points);
    void direct(const double* points, double* spectrum);

private:
    /// Calls `multiply` with the product of each wave number.
    void legendre(double* spectrum, void (*multiply)(const Product&));
    void to_rows();
    void from_rows();
    void fourier(bool forward);
    void pack_rows();
    void unpack_rows();
    void pack_points(const double* points);
    void unpack_points(double* points);
    [[nodiscard]] Index row_values(Index latitude) const { return 2 * (grid_.longitudes(latitude) / 2 + 1); }
    /// Values of a wave number on a latitude, in the buffer distributed by wave number.
    [[nodiscard]] double* at(Index latitude, std::size_t number);
    void lap(double Sections::* section) { m_.sections->*section += watch_.lap_s(); }

    Machinery m_;
    const Grid& grid_;
    const std::vector<Index>& latitudes_;
    const std::vector<Index>& waves_;
    Index kinds_;
    Index greatest_;
    Spectrum spectrum_;
    Points points_;
    std::vector<Index> of_latitude_;  ///< start of each latitude's values, in the buffer distributed by wave number
    std::vector<Index> row_begin_;    ///< start of each latitude's rows
    Array<double> rows_;
    std::vector<double> weights_;  ///< Gaussian weights by ring, divided by the number of longitudes
    Array<double> room_;           ///< scratch memory of products, by thread
    std::vector<Plan> forward_, backward_;
    Exchange columns_;  ///< first: wave numbers; second: latitudes
    Exchange across_;   ///< first: sets of fields; second: sets of longitudes
    Stopwatch watch_;
};

}  // namespace waywiser::spectral
