/// The faces that a rank exchanges with its neighbours, and their copies between a grid and a message.
#pragma once

#include "workloads/common/cartesian.hpp"
#include "workloads/common/grid.hpp"

#include <mpi.h>

#include <vector>

namespace waywiser {

/// Regions for one neighbour, in points of this rank's grid; neither holds edges or corners of the halo.
struct Face {
    std::size_t axis;
    Side side;
    int neighbour;
    Region send;
    Region receive;
};

/// The faces in the order in which they are sent: axis 3 first, the low side first.
/// \param inner  inner points of this rank
/// \param width  exchanged points on each axis
/// \throws InvalidInput  if a rank with a neighbour has fewer points on that axis than `width`; on all ranks
[[nodiscard]] std::vector<Face> find_faces(const Cartesian& cartesian, const Index3& inner, const Index3& width);

/// Copies a region into consecutive values, row after row, by all threads. Real is float or double.
template <class Real>
void pack(const Grid<Real>& grid, const Region& region, Real* packed);
template <class Real>
void unpack(const Real* packed, const Region& region, Grid<Real>& grid);

template <class Real>
[[nodiscard]] MPI_Datatype mpi_type();
template <>
[[nodiscard]] inline MPI_Datatype mpi_type<float>() {
    return MPI_FLOAT;
}
template <>
[[nodiscard]] inline MPI_Datatype mpi_type<double>() {
    return MPI_DOUBLE;
}

}  // namespace waywiser
