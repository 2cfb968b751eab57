#include "workloads/rupture/reference.hpp"

#include <algorithm>
#include <cmath>

namespace waywiser::rupture {
namespace {

using Lattice = std::vector<std::array<int, 3>>;

/// Barycentric coordinates of the nodes, times the degree.
Lattice lattice(int degree) {
    Lattice all;
    for (int c = 0; c <= degree; ++c) {
        for (int b = 0; b <= degree - c; ++b) all.push_back({degree - b - c, b, c});
    }
    return all;
}

std::vector<int> rotate(const Lattice& nodes, int rotation) {
    std::vector<int> numbers;
    for (const std::array<int, 3>& mine : nodes) {
        std::array<int, 3> theirs{};
        for (int j = 0; j < 3; ++j) {
            theirs[static_cast<std::size_t>((rotation - j + 3) % 3)] = mine[static_cast<std::size_t>(j)];
        }
        numbers.push_back(static_cast<int>(std::ranges::find(nodes, theirs) - nodes.begin()));
    }
    return numbers;
}

Matrix face_values(int order, const std::vector<std::array<double, 2>>& at) {
    Matrix values(static_cast<int>(at.size()), face_functions(order));
    for (int i = 0; i < values.rows; ++i) {
        const auto& [x, y] = at[static_cast<std::size_t>(i)];
        const std::vector<double> basis = face_basis(order, x, y);
        for (int m = 0; m < values.columns; ++m) values.at(i, m) = basis[static_cast<std::size_t>(m)];
    }
    return values;
}

std::array<Matrix, 3> derivatives(int order) {
    const int n = cell_functions(order);
    std::array<Matrix, 3> all;
    all.fill(Matrix(n, n));
    for (const QuadraturePoint& point : tetrahedron_quadrature(order + 1)) {
        const std::vector<BasisValue> basis = cell_basis(order, point.at);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (int k = 0; k < n; ++k) {
                for (int r = 0; r < n; ++r) {
                    all[axis].at(r, k) += point.weight * basis[static_cast<std::size_t>(r)].value *
                                          basis[static_cast<std::size_t>(k)].gradient[axis];
                }
            }
        }
    }
    for (Matrix& matrix : all) {
        for (double& value : matrix.values) {
            if (std::abs(value) < 1e-11) value = 0;
        }
    }
    return all;
}

/// Values of the cell's functions at points of a face.
Matrix cell_values(int order, int face, const std::vector<std::array<double, 2>>& at) {
    Matrix values(static_cast<int>(at.size()), cell_functions(order));
    for (int i = 0; i < values.rows; ++i) {
        const auto& [x, y] = at[static_cast<std::size_t>(i)];
        const std::vector<BasisValue> basis = cell_basis(order, on_face(face, x, y));
        for (int k = 0; k < values.columns; ++k) values.at(i, k) = basis[static_cast<std::size_t>(k)].value;
    }
    return values;
}

Matrix transposed(const Matrix& a) {
    Matrix result(a.columns, a.rows);
    for (int i = 0; i < a.rows; ++i) {
        for (int j = 0; j < a.columns; ++j) result.at(j, i) = a.at(i, j);
    }
    return result;
}

void scale_columns(Matrix& a, const std::vector<QuadraturePoint>& points) {
    for (int j = 0; j < a.columns; ++j) {
        for (int i = 0; i < a.rows; ++i) a.at(i, j) *= points[static_cast<std::size_t>(j)].weight;
    }
}

}  // namespace

Matrix operator*(const Matrix& a, const Matrix& b) {
    Matrix product(a.rows, b.columns);
    for (int j = 0; j < b.columns; ++j) {
        for (int k = 0; k < a.columns; ++k) {
            for (int i = 0; i < a.rows; ++i) product.at(i, j) += a.at(i, k) * b.at(k, j);
        }
    }
    return product;
}

/// Inverts by Gauss-Jordan elimination with partial pivoting.
Matrix inverse(Matrix a) {
    const int n = a.rows;
    Matrix result(n, n);
    for (int i = 0; i < n; ++i) result.at(i, i) = 1;
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i) {
            if (std::abs(a.at(i, k)) > std::abs(a.at(pivot, k))) pivot = i;
        }
        for (int j = 0; j < n; ++j) {
            std::swap(a.at(k, j), a.at(pivot, j));
            std::swap(result.at(k, j), result.at(pivot, j));
        }
        const double scale = 1 / a.at(k, k);
        for (int j = 0; j < n; ++j) {
            a.at(k, j) *= scale;
            result.at(k, j) *= scale;
        }
        for (int i = 0; i < n; ++i) {
            const double factor = i == k ? 0 : a.at(i, k);
            for (int j = 0; j < n; ++j) {
                a.at(i, j) -= factor * a.at(k, j);
                result.at(i, j) -= factor * result.at(k, j);
            }
        }
    }
    return result;
}

Reference::Reference(int order_)
    : order(order_), derivative(derivatives(order_)), points(triangle_quadrature(order_ + 1)) {
    const Lattice grid = lattice(order - 1);
    for (const std::array<int, 3>& node : grid) {
        nodes.push_back({static_cast<double>(node[1]) / (order - 1), static_cast<double>(node[2]) / (order - 1)});
    }
    for (int h = 0; h < 3; ++h) rotated[static_cast<std::size_t>(h)] = rotate(grid, h);

    std::vector<std::array<double, 2>> places;
    places.reserve(points.size());
    for (const QuadraturePoint& point : points) places.push_back({point.at[0], point.at[1]});
    const Matrix at_nodes = face_values(order, nodes);
    const Matrix at_points = face_values(order, places);
    const Matrix to_modes = inverse(at_nodes);
    to_points = at_points * to_modes;
    Matrix integrals = transposed(at_points);
    scale_columns(integrals, points);
    from_points = at_nodes * integrals;
    Matrix weighted_points = transposed(to_points);
    scale_columns(weighted_points, points);
    face_mass = weighted_points * to_points;
    for (int face = 0; face < 4; ++face) {
        trace[static_cast<std::size_t>(face)] = cell_values(order, face, nodes);
        Matrix weighted = transposed(cell_values(order, face, places));
        scale_columns(weighted, points);
        lift[static_cast<std::size_t>(face)] = weighted * to_points;
    }
}

}  // namespace waywiser::rupture
