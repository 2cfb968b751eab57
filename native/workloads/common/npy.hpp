/// NumPy files (`.npy`) with fields in little-endian fp32 or fp64 and C order.
///
/// Source: "numpy.lib.format", NumPy reference, format versions 1.0 and 2.0. A field of n1 x n2 x n3 points is an array
/// of shape (n3, n2, n1): axis 1 is contiguous.
#pragma once

#include "workloads/common/cartesian.hpp"
#include "workloads/common/program.hpp"

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

namespace waywiser {

struct NpyHeader {
    std::vector<Index> shape;
    Index value_bytes = 4;  ///< 4 for float, 8 for double
    Index begin = 0;        ///< offset of the values in the file [B]
};

/// Reads the header on rank 0. Collective.
/// \throws InvalidInput  on all ranks, if the file cannot be read or has another form
[[nodiscard]] NpyHeader read_npy_header(const std::string& path, const Ranks& ranks);

/// Returns the values of a box of a three-dimensional array, axis 1 first. The box is given in points of the whole
/// grid. Collective.
/// \throws InvalidInput  on all ranks, if the file is shorter than its header says
[[nodiscard]] std::vector<double> read_npy_box(const std::string& path, const NpyHeader& header, const Region& box,
                                               const Ranks& ranks);

/// Returns the bytes before the values of an array of this shape.
[[nodiscard]] std::string npy_header(std::span<const Index> shape, Index value_bytes);

/// Fields of one grid, stored one after another as an array of shape (count, n3, n2, n1), which all ranks write
/// together. Real is float or double.
template <class Real>
class NpyFields {
public:
    /// Creates the file. Collective.
    /// \throws InvalidInput  on all ranks, if the file cannot be written
    NpyFields(const std::string& path, const Cartesian& cartesian, Index count, MPI_Comm communicator);
    NpyFields(const NpyFields&) = delete;
    NpyFields& operator=(const NpyFields&) = delete;
    ~NpyFields();

    /// Writes the next field. Collective. \param values  values of the rank's points, axis 1 first
    /// \throws Error  if writing fails
    void write(std::span<const Real> values);

private:
    std::string path_;
    MPI_File file_ = MPI_FILE_NULL;
    MPI_Datatype part_ = MPI_DATATYPE_NULL;  ///< this rank's part of a field
    MPI_Offset next_ = 0;                    ///< offset of the next field [B]
    MPI_Offset field_bytes_ = 0;
};

}  // namespace waywiser
