/// Fields on triangles over time, as ParaView and VisIt read them: a text NAME.xdmf that describes the raw values
/// beside it in NAME.bin.
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
    bool at_corners;   ///< one value a corner of each triangle, else one a triangle

    [[nodiscard]] std::int64_t components() const { return type == "Scalar" ? 1 : type == "Vector" ? 3 : 6; }
};

/// Triangles share no corners, so that fields may differ between them. The binary file has corners (triangles x 3 x 3
/// fp64), their numbers (triangles x 3 int64), tags (triangles int32), and for each time each field (fp32). In each of
/// these the ranks follow one another.
class XdmfSeries {
public:
    /// Collective.
    /// \param path     ends with .xdmf
    /// \param corners  of this rank's triangles
    /// \param tags     one a triangle
    /// \param times_s  what the files have already, and keep
    /// \throws InvalidInput  on all ranks, if the files cannot be written, or have less
    XdmfSeries(const std::string& path, std::span<const std::array<Point, 3>> corners,
               std::span<const std::int32_t> tags, std::vector<XdmfField> fields, std::vector<double> times_s,
               const Ranks& ranks);
    XdmfSeries(const XdmfSeries&) = delete;
    XdmfSeries& operator=(const XdmfSeries&) = delete;
    ~XdmfSeries();

    /// The next time. Collective. \param values  of this rank, field by field
    /// \throws Error  if a file did not take it
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
    std::string binary_;  ///< its name without its directory
    std::vector<XdmfField> fields_;
    Ranks ranks_;
    MPI_File file_ = MPI_FILE_NULL;
    std::int64_t first_ = 0;  ///< first of this rank's triangles among all
    std::int64_t triangles_ = 0;
    std::vector<double> times_s_;
};

}  // namespace waywiser::rupture
