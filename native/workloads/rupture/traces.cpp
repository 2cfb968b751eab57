#include "workloads/rupture/traces.hpp"

#include "base/error.hpp"
#include "workloads/common/text.hpp"
#include "workloads/rupture/gather.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace waywiser::rupture {
namespace {

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

Point parse(std::string line, const std::string& where) {
    std::ranges::replace(line, ',', ' ');
    std::istringstream words(line);
    Point at{};
    std::string more;
    require(bool(words >> at[0] >> at[1] >> at[2]) && !(words >> more),
            where + " is not x, y, z in m, as -6000, 0, -6000");
    return at;
}

std::string receiver_text(const std::string& path, std::size_t receiver, const Point& at) {
    return path + text(": receiver %zu at (%g, %g, %g) m ", receiver, at[0], at[1], at[2]);
}

}  // namespace

std::vector<Point> read_points(const std::string& path, const Ranks& ranks) {
    const std::string refusal = "cannot read '" + path + "': give a file with a position x, y, z in m in each line";
    std::vector<Point> points;
    for (const FileLine& line : read_lines(path, refusal, ranks)) {
        points.push_back(parse(line.text, path + ", line " + std::to_string(line.number) + ":"));
    }
    require(!points.empty(), path + " has no position x, y, z in any line");
    return points;
}

std::vector<std::int64_t> own_places(const std::vector<Point>& points, const Places& places, const std::string& path,
                                     const std::string& missing, const Ranks& ranks) {
    std::vector<std::int64_t> numbers(points.size(), none);
    std::vector<std::int64_t> own(points.size(), -1);
    for (std::int64_t place = 0; place < places.count; ++place) {
        const std::int64_t number = places.number(place);
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (number >= numbers[i] || !places.holds(place, points[i])) continue;
            numbers[i] = number;
            own[i] = place;
        }
    }
    std::vector<std::int64_t> lowest(numbers.size());
    MPI_Allreduce(numbers.data(), lowest.data(), static_cast<int>(numbers.size()), MPI_INT64_T, MPI_MIN,
                  ranks.communicator);
    for (std::size_t i = 0; i < points.size(); ++i) {
        require(lowest[i] != none, receiver_text(path, i, points[i]) + missing);
        if (numbers[i] != lowest[i]) own[i] = -1;
    }
    return own;
}

Traces::Traces(std::string path, std::vector<Point> points, std::vector<std::string> columns, double every_s,
               const Ranks& ranks)
    : path_(std::move(path)),
      points_(std::move(points)),
      columns_(std::move(columns)),
      times_(every_s),
      ranks_(ranks),
      added_(points_.size()) {}

void Traces::open(std::int64_t kept_bytes) {
    on_rank_0(ranks_, [&] {
        if (kept_bytes > 0) {
            std::error_code error;
            const auto there = static_cast<std::int64_t>(std::filesystem::file_size(path_, error));
            require(!error && there >= kept_bytes, "'" + path_ + "' is not there or shorter than the " +
                                                       std::to_string(kept_bytes) +
                                                       " B that it had at the checkpoint: give the file of that run");
            std::filesystem::resize_file(path_, static_cast<std::uintmax_t>(kept_bytes), error);
            require(!error, "cannot write '" + path_ + "'");
            return;
        }
        std::ofstream file(path_);
        file << "time_s,receiver,x_m,y_m,z_m";
        for (const std::string& column : columns_) file << ',' << column;
        file << '\n';
        require(bool(file.flush()), "cannot write '" + path_ + "'");
    });
}

void Traces::add(std::size_t receiver, std::int64_t number, std::span<const double> values) {
    std::vector<double>& to = added_[receiver];
    to.push_back(static_cast<double>(number));
    to.push_back(static_cast<double>(receiver));
    to.insert(to.end(), values.begin(), values.end());
}

std::int64_t Traces::write() {
    std::vector<double> own;
    for (std::vector<double>& of_one : added_) {
        own.insert(own.end(), of_one.begin(), of_one.end());
        of_one.clear();
    }
    const std::vector<double> all = gather(own, ranks_);
    if (ranks_.rank != 0) return 0;
    const std::size_t width = 2 + columns_.size();
    std::vector<std::span<const double>> rows;
    for (std::size_t i = 0; i < all.size(); i += width) rows.push_back(std::span(all).subspan(i, width));
    std::ranges::sort(rows, {}, [](std::span<const double> row) { return std::array{row[0], row[1]}; });
    std::ofstream file(path_, std::ios::app);
    file.precision(9);
    for (const std::span<const double> row : rows) {
        const Point& at = points_[static_cast<std::size_t>(row[1])];
        file << times_.at_s(static_cast<std::int64_t>(row[0])) << ',' << row[1] << ',' << at[0] << ',' << at[1] << ','
             << at[2];
        for (const double value : row.subspan(2)) file << ',' << value;
        file << '\n';
    }
    const std::int64_t bytes = file.tellp();
    if (!file.flush()) throw Error("cannot write to '" + path_ + "'");
    return bytes;
}

}  // namespace waywiser::rupture
