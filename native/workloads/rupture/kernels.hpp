/// Kernels on cells. A kernel processes several cells at a time, one in each lane of a register.
///
/// q = (s_xx, s_yy, s_zz, s_xy, s_yz, s_xz, v_x, v_y, v_z) in an orthonormal basis. From each side of a face with
/// outward normal n, upwind fluxes need only the outgoing characteristic w = t - Z v. Here t = sigma n is the traction
/// and Z = Z_s + (Z_p - Z_s) n n^T the impedance. Cells publish the integral of w over the step, at the nodes of the
/// face. If the neighbour's steps are half as long, cells publish an integral over each half of the step. If the
/// neighbour's steps are longer, cells publish the integral over two steps.
#pragma once

#include "workloads/rupture/reference.hpp"

#include <cstdint>
#include <vector>

namespace waywiser::rupture {

inline constexpr int quantities = 9;

/// Number of cells that are computed together: one cache line of values.
template <class Real>
inline constexpr int lanes = 64 / static_cast<int>(sizeof(Real));

template <class Real>
using Lanes = Real[64 / sizeof(Real)];

/// One face of each cell of a group.
///
/// The flux of a face needs the traction's jump from this cell to the Riemann problem's solution. With the neighbour's
/// characteristic w', the jump is other w' + own w - traction t; see `correct`.
template <class Real>
struct alignas(64) FaceLanes {
    Lanes<Real> normal[3];
    Lanes<Real> own_p, own_s;      ///< weight of w in the interface's traction, normal and tangential to the face
    Lanes<Real> other_p, other_s;  ///< weight of the values at `source`, normal and tangential
    Lanes<Real> traction;          ///< weight of the cell's own traction: 1, or 0 where `source` is the whole jump
    Lanes<Real> lift;              ///< 2 |S| / |J|
    /// index in `published` of the values that are read in even and odd steps
    std::int64_t source[2][64 / sizeof(Real)];
    std::int64_t second_half[64 / sizeof(Real)];  ///< target of a step's second half if neighbours read halves, or -1
    std::uint8_t adds[64 / sizeof(Real)];         ///< 1 if the neighbour reads the sum of an even and an odd step
    std::uint8_t order[64 / sizeof(Real)];        ///< rotation of the nodes that are read: 0 to 2, or 3 for none
};

/// Constants of the cells of a group.
template <class Real>
struct alignas(64) GroupLanes {
    Lanes<Real> inverse_jacobian[9];  ///< d xi_c / d x_d is [3 c + d]
    Lanes<Real> lambda, mu, inverse_rho, zp, zs;
    FaceLanes<Real> faces[4];
    bool has_fault;
    bool halves;                                    ///< some neighbour takes shorter steps
    bool sums;                                      ///< some neighbour takes longer steps
    std::int64_t fault_side[4][64 / sizeof(Real)];  ///< index of the face's traces in `fault_traces`, or -1
};

/// The matrices in the precision of the cells.
template <class Real>
struct Tables {
    explicit Tables(const Reference& reference);

    /// A derivative matrix by rows, without zeros. In the i-th derivative in time, which has columns of lower degree
    /// only, a row ends at end[i - 1][row].
    struct Sparse {
        std::vector<std::int32_t> begin;
        std::vector<std::vector<std::int32_t>> end;
        std::vector<std::int32_t> column;
        std::vector<Real> value;
    };
    Sparse derivative[3];
    std::vector<Real> trace[4];  ///< stored by columns
    std::vector<Real> lift[4];
    std::vector<std::int32_t> rotated[4];
    double flops_per_update;  ///< flops of one cell, as the kernels execute them, without empty lanes
};

/// One group with the input and output of its kernels.
template <class Real>
struct Work {
    const Tables<Real>* tables;
    const GroupLanes<Real>* group;
    Real* q;             ///< functions x 9 x lanes
    Real* kept;          ///< 4 x nodes x 3 x lanes: the own part of the traction's jump
    Real* published;     ///< published values of the group's cells: cell x 4 x nodes x 3
    Real* origin;        ///< origin of `source` and `second_half`
    Real* fault_traces;  ///< traces of fault faces (fault.hpp)
    Real* scratch;       ///< scratch_values(order) x lanes, one per thread
    double dt;
    int odd;  ///< 1 in every second step of the cluster, otherwise 0
};

[[nodiscard]] constexpr int scratch_values(int order) {
    return cell_functions(order) * (9 + 9 + 9 + 6) + 2 * 6 * face_functions(order);
}

template <class Real>
struct Kernels {
    /// Cauchy-Kovalevskaya procedure: advances q by the cell's own contribution, publishes w, and stores the cell's own
    /// part of the jump in `kept`.
    void (*predict)(const Work<Real>&);
    /// Adds to q the contribution of the jumps on faces, after all neighbours have published.
    void (*correct)(const Work<Real>&);
};

/// Returns the kernels for the widest registers of the CPU.
/// \param order  2 to 6
template <class Real>
[[nodiscard]] Kernels<Real> find_kernels(int order);

}  // namespace waywiser::rupture
