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

/// Coordinates x, y, z in each line [m], separated by commas or blanks; empty lines and comments (#) are skipped.
/// Collective.
/// \throws InvalidInput  on all ranks, naming the file and the line
[[nodiscard]] std::vector<Point> read_points(const std::string& path, const Ranks& ranks);

/// Possible places of receivers on this rank: cells, or faces of the fault.
struct Places {
    std::int64_t count;
    std::function<std::int64_t(std::int64_t place)> number;  ///< number of its cell in the whole mesh
    std::function<bool(std::int64_t place, const Point& at)> holds;
};

/// Places for points: a point gets the lowest-numbered of all ranks' places that hold it. Collective.
/// \return this rank's place of each point, or -1 where it is another rank's
/// \throws InvalidInput  on all ranks, if a point has none: "FILE: receiver 3 at (x, y, z) " and `missing`
[[nodiscard]] std::vector<std::int64_t> own_places(const std::vector<Point>& points, const Places& places,
                                                   const std::string& path, const std::string& missing,
                                                   const Ranks& ranks);

/// The file of all receivers: a line for each receiver and time, with ascending times and receivers in their given
/// order.
class Traces {
public:
    /// \param columns  names of the values, behind time_s, receiver (from 0) and the position
    Traces(std::string path, std::vector<Point> points, std::vector<std::string> columns, double every_s,
           const Ranks& ranks);

    /// Creates the file with its header on rank 0, or continues after the first `kept_bytes` of an existing file.
    /// Collective.
    /// \throws InvalidInput  on all ranks, if that fails
    void open(std::int64_t kept_bytes);

    [[nodiscard]] const SampleTimes& times() const { return times_; }
    [[nodiscard]] const std::vector<Point>& points() const { return points_; }
    /// Threads may call it for different receivers.
    void add(std::size_t receiver, std::int64_t number, std::span<const double> values);
    /// Writes what has been added. Collective.
    /// \return the bytes that the file has, on rank 0
    /// \throws Error  if the file did not take it
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
