#include "workloads/spectral/settings.hpp"

#include "base/error.hpp"

#include <limits>

namespace waywiser::spectral {
namespace {

/// For greater truncations, powers of the cosine of latitude underflow where Legendre functions still matter.
constexpr Index greatest_truncation = 1900;
constexpr Index most_ranks = 65'536;
constexpr Index triad_degree = 6;

/// Quadrature must be exact for products of two fields and a harmonic, whose degree is three times the truncation.
Index least_rings(Index truncation) { return (3 * truncation + 4) / 4; }

}  // namespace

Options options_of(Settings& s) {
    Options options("ww-spectral",
                    "transforms between spherical harmonics and points on the sphere, and the barotropic vorticity "
                    "or shallow-water equations by them.\nEach run is checked against exact solutions.");
    options.add_count("truncation", s.truncation, 1, greatest_truncation,
                      "greatest degree of the harmonics; default 42");
    options.add_count("rings", s.rings, 0, 2 * greatest_truncation,
                      "latitudes from pole to equator; default 0: one more than the truncation");
    options.add_choice("grid", s.grid, {"octahedral", "full"},
                       "20 points on the first latitude and 4 more on each that follows, or 4 x rings on all; default "
                       "octahedral");
    options.add_count("levels", s.levels, 1, 100'000, "vertical levels; default 8");
    options.add_count("pw", s.ranks.w, 0, most_ranks,
                      "ranks that share wave numbers and latitudes; default 0: the grid of ranks nearest to a square");
    options.add_count("pv", s.ranks.v, 0, most_ranks, "ranks that share fields and longitudes; default 0: as for pw");
    options.add_choice("equations", s.equations, {"vorticity", "shallow-water"},
                       "barotropic vorticity, or shallow water with implicit gravity waves; default vorticity");
    options.add_choice("start", s.start, {"wave", "triad"},
                       "start of the vorticity equation: a Rossby-Haurwitz wave, which is an exact solution, or three "
                       "harmonics that interact and conserve energy and enstrophy; default wave");
    options.add_count("wave-number", s.wave_number, 1, greatest_truncation,
                      "order of the Rossby-Haurwitz wave or gravity wave; default 4");
    options.add_count("wave-degree", s.wave_degree, 2, greatest_truncation, "degree of that wave; default 5");
    options.add_real("omega", s.omega, -1e-4, 1e-4, "angular velocity of the solid rotation in 1/s; default 7.848e-6");
    options.add_real("depth", s.depth, 1, 1e5, "depth of shallow water in m; default 3000");
    options.add_count("steps", s.steps, 1, 1'000'000, "time steps of the equations; default 24");
    options.add_real("dt", s.dt, 1e-3, 1e5, "seconds of model time in a step; default 600");
    options.add_text(
        "exchange", s.exchange, "alltoallv, pairwise or all",
        "transposition among ranks: MPI_Alltoallv, or MPI_Isend to each partner in turn; default alltoallv");
    options.add_count("seed", s.seed, 0, std::numeric_limits<std::int32_t>::max(), "random seed; default 1");
    options.add_count("tries", s.tries, 1, 1'000'000, "timed round trips; default 3");
    options.add_text(
        "blas", s.blas, "the file of a library",
        "BLAS library whose dgemm the Legendre transforms are compared with; default: NumPy's OpenBLAS as found "
        "at build, or what the loader finds, if any");
    add_matrix(options, s, "step");
    options.add_text("json", s.json, "the name of a file", "write one JSON object a row of the table to this file");
    return options;
}

void complete(Settings& s) {
    require(!s.is_shallow_water() || (s.truncation >= 2 && s.omega != 0),
            "--equations shallow-water requires a --truncation of 2 or more and an --omega other than 0");
    require(!s.is_triad() || (!s.is_shallow_water() && s.truncation >= triad_degree),
            "--start triad requires --equations vorticity and a --truncation of " + std::to_string(triad_degree) +
                " or more");
    if (s.rings == 0) s.rings = s.truncation + 1;
    const Index least = least_rings(s.truncation);
    require(s.rings >= least, "--rings " + std::to_string(s.rings) + " holds T" +
                                  std::to_string((4 * s.rings - 1) / 3) + " at most; T" + std::to_string(s.truncation) +
                                  " requires " + std::to_string(least) + " or more");
    require(s.wave_number <= s.wave_degree && s.wave_degree <= s.truncation,
            "a wave of --wave-number " + std::to_string(s.wave_number) + " and --wave-degree " +
                std::to_string(s.wave_degree) + " is not one of T" + std::to_string(s.truncation) +
                "; 1 <= number <= degree <= truncation are accepted");
    require_both(s);
}

}  // namespace waywiser::spectral
