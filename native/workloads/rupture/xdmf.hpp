/// Fields on triangles over time, as ParaView and VisIt read them. The text file NAME.xdmf describes the raw values,
/// which are in NAME.bin.
///
/// Source: "XDMF Model and Format", version 3, www.xdmf.org.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/rupture/mesh_file.hpp"

#include <mpi.h>

#include <span>
#include <string>
#include <vector>

namespace waywiser::rupture {

struct XdmfField {
    std::string name;
    std::string type;  ///< "Scalar", "Vector", "Tensor6" (xx, xy, xz, yy, yz, zz)
    bool at_corners;   ///< true: a value per corner of each triangle; false: a value per triangle

    [[nodiscard]] std::int64_t components() const { return type == "Scalar" ? 1 : type == "Vector" ? 3 : 6; }
};

/// Triangles share no corners, so that fields may differ between them. The binary file has corners (triangles x 3 x 3
/// fp64), their numbers (triangles x 3 int64), tags (triangles int32), and for each time each field (fp32). Within each
/// of these arrays, ranks follow one another.
class XdmfSeries {
public:
    /// Collective.
    /// \param path     ends with .xdmf
    /// \param corners  corners of this rank's triangles
    /// \param tags     a tag per triangle
    /// \param times_s  times that the files already contain, and keep
    /// \throws InvalidInput  on all ranks, if the files cannot be written, or contain fewer times
    XdmfSeries(const std::string& path, std::span<const std::array<Point, 3>> corners,
               std::span<const std::int32_t> tags, std::vector<XdmfField> fields, std::vector<double> times_s,
               const Ranks& ranks);
    XdmfSeries(const XdmfSeries&) = delete;
    XdmfSeries& operator=(const XdmfSeries&) = delete;
    ~XdmfSeries();

    /// Writes the fields at the next time. Collective.
    /// \param values  values of this rank, field by field
    /// \throws Error  if a file cannot be written
    void write(double time_s, std::span<const std::vector<float>> values);
    [[nodiscard]] const std::vector<double>& times_s() const { return times_s_; }

private:
    template <class Value>
    void write_part(std::int64_t begin, std::int64_t per_triangle, std::span<const Value> values) const;
    [[nodiscard]] std::int64_t begin_of_time(std::size_t number) const;
    [[nodiscard]] std::string description() const;
    [[nodiscard]] std::string item(std::int64_t seek, const char* kind, int bytes, std::int64_t rows,
                                   std::int64_t columns) const;

    std::string path_;
    std::string binary_;  ///< name of the binary file without its directory
    std::vector<XdmfField> fields_;
    Ranks ranks_;
    MPI_File file_ = MPI_FILE_NULL;
    std::int64_t first_ = 0;  ///< number of this rank's first triangle among all
    std::int64_t triangles_ = 0;
    std::vector<double> times_s_;
};

}  // namespace waywiser::rupture
