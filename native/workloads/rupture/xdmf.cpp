#include "workloads/rupture/xdmf.hpp"

#include "base/error.hpp"
#include "workloads/common/text.hpp"

#include <filesystem>
#include <fstream>
#include <numeric>

namespace waywiser::rupture {
namespace {

constexpr std::int64_t corner_bytes = std::int64_t{9} * sizeof(double);
constexpr std::int64_t number_bytes = std::int64_t{3} * sizeof(std::int64_t);
constexpr std::int64_t tag_bytes = sizeof(std::int32_t);

std::int64_t per_triangle(const XdmfField& field) { return field.components() * (field.at_corners ? 3 : 1); }

}  // namespace

XdmfSeries::XdmfSeries(const std::string& path, std::span<const std::array<Point, 3>> corners,
                       std::span<const std::int32_t> tags, std::vector<XdmfField> fields, std::vector<double> times_s,
                       const Ranks& ranks)
    : path_(path), fields_(std::move(fields)), ranks_(ranks), times_s_(std::move(times_s)) {
    const std::string binary = std::filesystem::path(path).replace_extension(".bin").string();
    binary_ = std::filesystem::path(binary).filename().string();
    const int opened =
        MPI_File_open(ranks.communicator, binary.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file_);
    require(opened == MPI_SUCCESS,
            "cannot write '" + binary + "': give a file in a directory that all ranks may write to");
    const auto own = static_cast<std::int64_t>(corners.size());
    MPI_Exscan(&own, &first_, 1, MPI_INT64_T, MPI_SUM, ranks.communicator);
    if (ranks.rank == 0) first_ = 0;  // MPI_Exscan leaves the value of rank 0 undefined
    MPI_Allreduce(&own, &triangles_, 1, MPI_INT64_T, MPI_SUM, ranks.communicator);
    MPI_Offset there = 0;
    MPI_File_get_size(file_, &there);
    require(times_s_.empty() || there >= begin_of_time(times_s_.size()),
            "'" + binary + "' has fewer snapshots than the checkpoint says: give the file of that run");
    MPI_File_set_size(file_, begin_of_time(times_s_.size()));
    std::vector<std::int64_t> numbers(3 * corners.size());
    std::iota(numbers.begin(), numbers.end(), 3 * first_);
    write_part(0, 9, std::span(reinterpret_cast<const double*>(corners.data()), 9 * corners.size()));
    write_part(triangles_ * corner_bytes, 3, std::span<const std::int64_t>(numbers));
    write_part(triangles_ * (corner_bytes + number_bytes), 1, tags);
}

XdmfSeries::~XdmfSeries() { MPI_File_close(&file_); }

template <class Value>
void XdmfSeries::write_part(std::int64_t begin, std::int64_t per_triangle, std::span<const Value> values) const {
    const MPI_Offset at = begin + first_ * per_triangle * static_cast<std::int64_t>(sizeof(Value));
    const int written = MPI_File_write_at_all(file_, at, values.data(), static_cast<int>(values.size_bytes()), MPI_BYTE,
                                              MPI_STATUS_IGNORE);
    if (written != MPI_SUCCESS) throw Error("cannot write to '" + binary_ + "'");
}

std::int64_t XdmfSeries::begin_of_time(std::size_t number) const {
    std::int64_t values = 0;
    for (const XdmfField& field : fields_) values += per_triangle(field);
    return triangles_ *
           (corner_bytes + number_bytes + tag_bytes + static_cast<std::int64_t>(number * sizeof(float)) * values);
}

void XdmfSeries::write(double time_s, std::span<const std::vector<float>> values) {
    std::int64_t begin = begin_of_time(times_s_.size());
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        write_part(begin, per_triangle(fields_[i]), std::span<const float>(values[i]));
        begin += triangles_ * per_triangle(fields_[i]) * static_cast<std::int64_t>(sizeof(float));
    }
    times_s_.push_back(time_s);
    MPI_File_sync(file_);
    if (ranks_.rank == 0) {
        std::ofstream file(path_);
        file << description();
        if (!file.flush()) throw Error("cannot write '" + path_ + "'");
    }
}

std::string XdmfSeries::item(std::int64_t seek, const char* kind, int bytes, std::int64_t rows,
                             std::int64_t columns) const {
    return text(R"(<DataItem Format="Binary" NumberType="%s" Precision="%d" Endian="Little" Seek="%lld" )", kind, bytes,
                seek) +
           text(R"(Dimensions="%lld %lld">)", rows, columns) + binary_ + "</DataItem>";
}

std::string XdmfSeries::description() const {
    std::string all =
        "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n"
        "<Grid Name=\"series\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
    const std::string mesh = text(R"(<Topology TopologyType="Triangle" NumberOfElements="%lld">)", triangles_) +
                             item(triangles_ * corner_bytes, "Int", 8, triangles_, 3) +
                             "</Topology>\n<Geometry GeometryType=\"XYZ\">" + item(0, "Float", 8, 3 * triangles_, 3) +
                             "</Geometry>\n" + "<Attribute Name=\"tag\" AttributeType=\"Scalar\" Center=\"Cell\">" +
                             item(triangles_ * (corner_bytes + number_bytes), "Int", 4, triangles_, 1) +
                             "</Attribute>\n";
    for (std::size_t i = 0; i < times_s_.size(); ++i) {
        all += text("<Grid Name=\"%zu\" GridType=\"Uniform\">\n<Time Value=\"%.17g\"/>\n", i, times_s_[i]) + mesh;
        std::int64_t begin = begin_of_time(i);
        for (const XdmfField& field : fields_) {
            const std::int64_t rows = triangles_ * (field.at_corners ? 3 : 1);
            all += "<Attribute Name=\"" + field.name + "\" AttributeType=\"" + field.type + "\" Center=\"" +
                   (field.at_corners ? "Node" : "Cell") + "\">" + item(begin, "Float", 4, rows, field.components()) +
                   "</Attribute>\n";
            begin += rows * field.components() * static_cast<std::int64_t>(sizeof(float));
        }
        all += "</Grid>\n";
    }
    return all + "</Grid>\n</Domain>\n</Xdmf>\n";
}

}  // namespace waywiser::rupture
