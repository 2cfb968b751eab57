/// The matrices of the scheme on the reference elements, for one order.
///
/// Faces are represented by values at nodes that lie symmetrically. Both cells of a face have the same nodes, each in
/// its own numbering. A trace therefore passes from one cell to the other by a permutation.
#pragma once

#include "workloads/rupture/basis.hpp"

#include <array>
#include <vector>

namespace waywiser::rupture {

/// Dense matrix, stored by columns: element (row, column) is values[column * rows + row].
struct Matrix {
    Matrix() = default;
    Matrix(int rows_, int columns_)
        : rows(rows_),
          columns(columns_),
          values(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_)) {}

    [[nodiscard]] double& at(int row, int column) {
        return values[static_cast<std::size_t>(column) * static_cast<std::size_t>(rows) +
                      static_cast<std::size_t>(row)];
    }
    [[nodiscard]] double at(int row, int column) const { return const_cast<Matrix&>(*this).at(row, column); }

    int rows = 0;
    int columns = 0;
    std::vector<double> values;
};

[[nodiscard]] Matrix operator*(const Matrix& a, const Matrix& b);
[[nodiscard]] Matrix inverse(Matrix a);

struct Reference {
    explicit Reference(int order);

    int order;
    std::array<Matrix, 3> derivative;     ///< cell to cell: coefficients of the derivative along a reference axis
    std::array<Matrix, 4> trace;          ///< cell to nodes of a face
    std::array<Matrix, 4> lift;           ///< nodes of a face to cell: integral of each function times the field
    Matrix to_points;                     ///< nodes of a face to the points where friction acts
    Matrix from_points;                   ///< points where friction acts to nodes: L2 projection
    Matrix face_mass;                     ///< integral of the product of two fields given at nodes
    std::vector<QuadraturePoint> points;  ///< points at which friction acts, (order + 1)^2
    std::vector<std::array<double, 2>> nodes;
    /// The neighbour's number of this cell's node, for each rotation of a face (mesh_file.hpp).
    std::array<std::vector<int>, 3> rotated;
};

}  // namespace waywiser::rupture
