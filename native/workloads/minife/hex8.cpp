#include "workloads/minife/hex8.hpp"

#include "workloads/common/clones.hpp"

namespace waywiser::minife {
namespace {

constexpr double gauss = 0.57735026918962576451;  // This is 1/sqrt(3) in full precision; miniFE has nine digits.

/// Linear shape functions of one axis at its two Gauss points: for the node on the point's side, and for the other
/// node.
constexpr double near = (1 + gauss) / 2;
constexpr double far = (1 - gauss) / 2;
constexpr double shape[2][2] = {{near, far}, {far, near}};  // [node][point]

/// Products of two of them, by the sum of the two nodes' bits: both low, one of each, both high.
constexpr double product[3][2] = {{near * near, far * far}, {near * far, near * far}, {far * far, near * near}};

constexpr std::size_t bit(std::size_t number, std::size_t axis) { return number >> axis & 1; }

}  // namespace

// The integrand is metric_ab * d_a psi_m * d_b psi_n, with the metric w (C C^T) / det of the cofactors C at each
// Gauss point. As shape functions are products over the axes, the sums over the points are taken axis by axis
// (S. A. Orszag, "Spectral methods for problems in complex geometries", Journal of Computational Physics 37(1), 1980,
// pp. 70-92, doi:10.1016/0021-9991(80)90005-4): half the operations of adding 36 products at each of 8 points.
//
// Loops are unrolled by force: their indices decide between terms, and must be constants.
WAYWISER_CLONES
void integrate(const HexBatch& batch, HexIntegrals& out) {
    // Derivatives of the position along axis a; they are constant along a, so that only points with bit a = 0 are used.
    Lanes tangent[3][corners][3];
#pragma GCC unroll 3
    for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
#pragma GCC unroll 3
        for (std::size_t d = 0; d < 3; ++d) {
            Lanes edge[2][2];
#pragma GCC unroll 4
            for (std::size_t i = 0; i < 4; ++i) {
                const std::size_t low = bit(i, 0) << b | bit(i, 1) << c;
                edge[bit(i, 0)][bit(i, 1)] = batch.coordinate[low | std::size_t{1} << a][d] - batch.coordinate[low][d];
            }
#pragma GCC unroll 4
            for (std::size_t i = 0; i < 4; ++i) {
                const std::size_t p = bit(i, 0), q = bit(i, 1);
                const Lanes low = shape[0][p] * edge[0][0] + shape[1][p] * edge[1][0];
                const Lanes high = shape[0][p] * edge[0][1] + shape[1][p] * edge[1][1];
                tangent[a][p << b | q << c][d] = 0.5 * (shape[0][q] * low + shape[1][q] * high);
            }
        }
    }

    Lanes metric[6][corners];  // xx, yy, zz, xy, yz, zx; with the 1/4 of two slopes of 1/2
    Lanes determinant[corners];
#pragma GCC unroll 8
    for (std::size_t p = 0; p < corners; ++p) {
        Lanes cofactor[3][3];
#pragma GCC unroll 3
        for (std::size_t a = 0; a < 3; ++a) {
            const auto& u = tangent[(a + 1) % 3][p & ~(std::size_t{1} << (a + 1) % 3)];
            const auto& v = tangent[(a + 2) % 3][p & ~(std::size_t{1} << (a + 2) % 3)];
#pragma GCC unroll 3
            for (std::size_t d = 0; d < 3; ++d) {
                cofactor[a][d] = u[(d + 1) % 3] * v[(d + 2) % 3] - u[(d + 2) % 3] * v[(d + 1) % 3];
            }
        }
        const auto& t = tangent[0][p & ~std::size_t{1}];
        determinant[p] = t[0] * cofactor[0][0] + t[1] * cofactor[0][1] + t[2] * cofactor[0][2];
        const Lanes scale = 0.25 / determinant[p];
#pragma GCC unroll 6
        for (std::size_t k = 0; k < 6; ++k) {
            const auto& u = cofactor[k % 3];
            const auto& v = cofactor[k < 3 ? k : (k + 1) % 3];
            metric[k][p] = scale * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
        }
    }

    Lanes same[3][3][3];      // d_a d_a: [a][bits of b][bits of c]
    Lanes mixed[3][2][2][3];  // d_a d_b: [a][node whose b is derived][node whose a is derived][bits of c]
#pragma GCC unroll 3
    for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
        const auto point = [=](std::size_t i, std::size_t j, std::size_t k) { return i << a | j << b | k << c; };
#pragma GCC unroll 3
        for (std::size_t bits = 0; bits < 3; ++bits) {
            Lanes half[2];
#pragma GCC unroll 2
            for (std::size_t r = 0; r < 2; ++r) {
                half[r] = product[bits][0] * (metric[a][point(0, 0, r)] + metric[a][point(1, 0, r)]) +
                          product[bits][1] * (metric[a][point(0, 1, r)] + metric[a][point(1, 1, r)]);
            }
#pragma GCC unroll 3
            for (std::size_t k = 0; k < 3; ++k) same[a][bits][k] = product[k][0] * half[0] + product[k][1] * half[1];

            Lanes plane[2][2];
#pragma GCC unroll 4
            for (std::size_t i = 0; i < 4; ++i) {
                plane[bit(i, 0)][bit(i, 1)] = product[bits][0] * metric[3 + a][point(bit(i, 0), bit(i, 1), 0)] +
                                              product[bits][1] * metric[3 + a][point(bit(i, 0), bit(i, 1), 1)];
            }
#pragma GCC unroll 2
            for (std::size_t i = 0; i < 2; ++i) {
                const Lanes low = shape[i][0] * plane[0][0] + shape[i][1] * plane[1][0];
                const Lanes high = shape[i][0] * plane[0][1] + shape[i][1] * plane[1][1];
                mixed[a][i][0][bits] = shape[0][0] * low + shape[0][1] * high;
                mixed[a][i][1][bits] = shape[1][0] * low + shape[1][1] * high;
            }
        }
    }

#pragma GCC unroll 8
    for (std::size_t m = 0; m < corners; ++m) {
#pragma GCC unroll 8
        for (std::size_t n = m; n < corners; ++n) {
            Lanes sum{};
#pragma GCC unroll 3
            for (std::size_t a = 0; a < 3; ++a) {
                const std::size_t b = (a + 1) % 3, c = (a + 2) % 3;
                const auto bits = [=](std::size_t axis) { return bit(m, axis) + bit(n, axis); };
                const Lanes& aa = same[a][bits(b)][bits(c)];
                const Lanes& ab = mixed[a][bit(n, a)][bit(m, b)][bits(c)];  // d_a psi_m d_b psi_n
                const Lanes& ba = mixed[a][bit(m, a)][bit(n, b)][bits(c)];
                sum = bit(m, a) == bit(n, a) ? sum + aa : sum - aa;
                sum = bit(m, a) == bit(n, b) ? sum + ab : sum - ab;
                sum = bit(m, b) == bit(n, a) ? sum + ba : sum - ba;
            }
            out.stiffness[upper_entry(m, n)] = sum;
        }
        Lanes load{};
#pragma GCC unroll 8
        for (std::size_t p = 0; p < corners; ++p) {
            const double xy = shape[bit(m, 0)][bit(p, 0)] * shape[bit(m, 1)][bit(p, 1)];
            load += xy * shape[bit(m, 2)][bit(p, 2)] * determinant[p];
        }
        out.load[m] = load;
    }
}

const int integrate_flops = 9 * (4 + 4 * 10)            // tangents: 4 edges and 4 points, 3 axes of 3 coordinates
                            + 8 * (27 + 5 + 1 + 6 * 6)  // cofactors, determinant, division, metric
                            + 9 * (2 * 5 + 3 * 3)       // sums of equal axes
                            + 9 * (4 * 3 + 2 * 12)      // sums of two axes
                            + 36 * 9 + 8 * 16;          // stiffness, load

}  // namespace waywiser::minife
