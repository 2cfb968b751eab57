/// Receivers' recordings in one CSV file, and the receivers' positions.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/rupture/mesh_file.hpp"
#include "workloads/rupture/sampler.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace waywiser::rupture {

/// Reads coordinates x, y, z from each line [m], separated by commas or blanks; empty lines and comments (#) are
/// skipped. Collective.
/// \throws InvalidInput  on all ranks, with the name of the file and the line
[[nodiscard]] std::vector<Point> read_points(const std::string& path, const Ranks& ranks);

/// Possible places of receivers on this rank: cells, or faces of the fault.
struct Places {
    std::int64_t count;
    std::function<std::int64_t(std::int64_t place)> number;  ///< number of the place's cell in the whole mesh
    std::function<bool(std::int64_t place, const Point& at)> holds;
};

/// Finds a place for each point: of all ranks' places that contain the point, the place with the lowest number.
/// Collective.
/// \return this rank's place of each point, or -1 if the place is on another rank
/// \throws InvalidInput  on all ranks, if a point has no place: "FILE: receiver 3 at (x, y, z) " and `missing`
[[nodiscard]] std::vector<std::int64_t> own_places(const std::vector<Point>& points, const Places& places,
                                                   const std::string& path, const std::string& missing,
                                                   const Ranks& ranks);

/// The file of all receivers. It has a line for each receiver and time, in the order of times, then of receivers as
/// given.
class Traces {
public:
    /// \param columns  names of the values, which follow time_s, receiver (from 0) and the position
    Traces(std::string path, std::vector<Point> points, std::vector<std::string> columns, double every_s,
           const Ranks& ranks);

    /// Creates the file with its header on rank 0, or continues after the first `kept_bytes` of an existing file.
    /// Collective.
    /// \throws InvalidInput  on all ranks, if the file cannot be written, or has fewer than `kept_bytes`
    void open(std::int64_t kept_bytes);

    [[nodiscard]] const SampleTimes& times() const { return times_; }
    [[nodiscard]] const std::vector<Point>& points() const { return points_; }
    /// Adds a recording. Threads may add recordings of different receivers at the same time.
    void add(std::size_t receiver, std::int64_t number, std::span<const double> values);
    /// Appends the added recordings to the file. Collective.
    /// \return size of the file on rank 0 [B]
    /// \throws Error  if the file cannot be written
    std::int64_t write();

private:
    std::string path_;
    std::vector<Point> points_;
    std::vector<std::string> columns_;
    SampleTimes times_;
    Ranks ranks_;
    std::vector<std::vector<double>> added_;  ///< for each receiver: number of the time, receiver, values
};

}  // namespace waywiser::rupture
