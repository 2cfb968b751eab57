#include "workloads/common/npy.hpp"

#include "base/error.hpp"
#include "workloads/common/faces.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <system_error>

namespace waywiser {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr const char* expected_format = "expected an array of float32 or float64 in C order, as numpy.save writes it";

Index two_bytes(const char* at) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(at);
    return bytes[0] + 256 * bytes[1];
}

std::string_view without_leading_spaces(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

/// Returns the text after a key of the header's dictionary; empty if the header does not have the key.
std::string_view after(std::string_view text, std::string_view key) {
    const std::size_t position = text.find(key);
    return position == std::string_view::npos ? "" : without_leading_spaces(text.substr(position + key.size()));
}

std::vector<Index> shape_of(std::string_view text, const std::string& path) {
    std::vector<Index> shape;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        const std::string_view word = without_leading_spaces(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (word.empty()) continue;
        Index length = 0;
        const bool is_number = std::from_chars(word.data(), word.data() + word.size(), length).ec == std::errc();
        require(is_number && length > 0 && length < (Index{1} << 40), path + ": " + expected_format);
        shape.push_back(length);
    }
    return shape;
}

/// Reads the header of a file.
/// \throws InvalidInput  if the header is not valid
NpyHeader read_header(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    require(bool(file), "cannot read '" + path + "'; " + expected_format);
    std::array<char, 12> start{};
    file.read(start.data(), 10);
    const bool is_npy = bool(file) && std::string_view(start.data(), magic.size()) == magic;
    require(is_npy && (start[6] == 1 || start[6] == 2), path + " is not an .npy file; " + expected_format);
    if (start[6] == 2) file.read(start.data() + 10, 2);
    const Index begin = start[6] == 1 ? 10 : 12;
    const Index length = two_bytes(start.data() + 8) + (begin == 12 ? 65536 * two_bytes(start.data() + 10) : 0);
    require(length < 65536, path + ": " + expected_format);
    std::string text(static_cast<std::size_t>(length), ' ');
    file.read(text.data(), length);
    // The header has the form {'descr': '<f4', 'fortran_order': False, 'shape': (30, 20, 10), }.
    const std::string_view type = after(text, "'descr':");
    const std::string_view shape = after(text, "'shape':");
    const std::size_t end = shape.find(')');
    const bool read = bool(file) && (type.starts_with("'<f4'") || type.starts_with("'<f8'")) &&
                      shape.starts_with('(') && end != std::string_view::npos &&
                      text.find("'fortran_order': False") != std::string::npos;
    require(read, path + ": " + expected_format);
    return {.shape = shape_of(shape.substr(1, end - 1), path),
            .value_bytes = type[3] == '4' ? 4 : 8,
            .begin = begin + length};
}

/// Reads a row of a file as doubles.
void read_row(std::ifstream& file, Index value_bytes, std::span<double> row) {
    if (value_bytes == 8) {
        file.read(reinterpret_cast<char*>(row.data()), static_cast<std::streamsize>(row.size_bytes()));
        return;
    }
    std::vector<float> values(row.size());
    file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(4 * values.size()));
    std::ranges::copy(values, row.begin());
}

}  // namespace

NpyHeader read_npy_header(const std::string& path, const Ranks& ranks) {
    NpyHeader header;
    on_rank_0(ranks, [&] { header = read_header(path); });
    std::array<Index, 3> numbers{static_cast<Index>(header.shape.size()), header.value_bytes, header.begin};
    MPI_Bcast(numbers.data(), 3, MPI_INT64_T, 0, ranks.communicator);
    header.shape.resize(static_cast<std::size_t>(numbers[0]));
    header.value_bytes = numbers[1];
    header.begin = numbers[2];
    MPI_Bcast(header.shape.data(), static_cast<int>(numbers[0]), MPI_INT64_T, 0, ranks.communicator);
    return header;
}

std::vector<double> read_npy_box(const std::string& path, const NpyHeader& header, const Region& box,
                                 const Ranks& ranks) {
    std::ifstream file(path, std::ios::binary);
    std::vector<double> values(static_cast<std::size_t>(box.points()));
    std::span<double> rest(values);
    const auto length = static_cast<std::size_t>(box.extent(0));
    for (Index i3 = box.lo[2]; i3 < box.hi[2]; ++i3) {
        for (Index i2 = box.lo[1]; i2 < box.hi[1]; ++i2) {
            const Index value = box.lo[0] + header.shape[2] * (i2 + header.shape[1] * i3);
            file.seekg(header.begin + value * header.value_bytes);
            read_row(file, header.value_bytes, rest.first(length));
            rest = rest.subspan(length);
        }
    }
    int read = file ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &read, 1, MPI_INT, MPI_MIN, ranks.communicator);
    require(read == 1, path + " has fewer values than its header says, or not every rank can read it");
    return values;
}

std::string npy_header(std::span<const Index> shape, Index value_bytes) {
    std::string text = "{'descr': '<f" + std::to_string(value_bytes) + "', 'fortran_order': False, 'shape': (";
    for (const Index length : shape) text += std::to_string(length) + ", ";
    text += "), }";
    constexpr std::size_t before = 10;
    text.resize((before + text.size() + 1 + 63) / 64 * 64 - before, ' ');
    text.back() = '\n';
    std::string header(magic);
    header += {1, 0, static_cast<char>(text.size() % 256), static_cast<char>(text.size() / 256)};
    return header + text;
}

template <class Real>
NpyFields<Real>::NpyFields(const std::string& path, const Cartesian& cartesian, Index count, MPI_Comm communicator)
    : path_(path), field_bytes_(static_cast<Index>(sizeof(Real))) {
    // In C order, the slowest axis comes first.
    std::array<int, 3> all{};
    std::array<int, 3> own{};
    std::array<int, 3> first{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        all[2 - axis] = static_cast<int>(cartesian.points()[axis]);
        own[2 - axis] = static_cast<int>(cartesian.owned_points()[axis]);
        first[2 - axis] = static_cast<int>(cartesian.owned().lo[axis]);
        field_bytes_ *= cartesian.points()[axis];
    }
    const int opened =
        MPI_File_open(communicator, path.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file_);
    require(opened == MPI_SUCCESS,
            "cannot write '" + path + "': give a file in a directory that all ranks may write to");
    const std::array<Index, 4> shape{count, all[0], all[1], all[2]};
    const std::string header = npy_header(shape, static_cast<Index>(sizeof(Real)));
    next_ = static_cast<MPI_Offset>(header.size());
    MPI_File_set_size(file_, next_ + count * field_bytes_);
    int rank = 0;
    MPI_Comm_rank(communicator, &rank);
    if (rank == 0) {
        MPI_File_write_at(file_, 0, header.data(), static_cast<int>(header.size()), MPI_CHAR, MPI_STATUS_IGNORE);
    }
    MPI_Type_create_subarray(3, all.data(), own.data(), first.data(), MPI_ORDER_C, mpi_type<Real>(), &part_);
    MPI_Type_commit(&part_);
}

template <class Real>
NpyFields<Real>::~NpyFields() {
    MPI_Type_free(&part_);
    MPI_File_close(&file_);
}

template <class Real>
void NpyFields<Real>::write(std::span<const Real> values) {
    require(values.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
            path_ + ": more than 2^31 points of a rank");
    MPI_File_set_view(file_, next_, mpi_type<Real>(), part_, "native", MPI_INFO_NULL);
    const int written = MPI_File_write_at_all(file_, 0, values.data(), static_cast<int>(values.size()),
                                              mpi_type<Real>(), MPI_STATUS_IGNORE);
    if (written != MPI_SUCCESS) throw Error("cannot write to '" + path_ + "'");
    next_ += field_bytes_;
}

template class NpyFields<float>;
template class NpyFields<double>;

}  // namespace waywiser
