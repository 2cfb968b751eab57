#include "workloads/propa/survey.hpp"

#include "base/error.hpp"
#include "workloads/common/npy.hpp"
#include "workloads/common/text.hpp"
#include "workloads/stencil/exact.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <sstream>

namespace waywiser::propa {
namespace {

using Position = std::array<double, 3>;

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, at);) parts.push_back(word);
    return parts;
}

/// \throws InvalidInput  if a word is not a number; the message names the option and the accepted values
std::vector<double> numbers(const std::string& option, const std::string& text, const std::string& accepts) {
    std::vector<double> values;
    for (const std::string& word : split(text, ',')) {
        double value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        const bool whole = error == std::errc{} && end == word.data() + word.size() && std::isfinite(value);
        require(whole, option + " '" + text + "': expected " + accepts);
        values.push_back(value);
    }
    return values;
}

Position position(const std::string& option, const std::string& text) {
    const char* accepts = "a position in metres, as 100,250,250";
    const std::vector<double> coordinates = numbers(option, text, accepts);
    require(coordinates.size() == 3, option + " '" + text + "': expected " + accepts);
    return {coordinates[0], coordinates[1], coordinates[2]};
}

Position spacings(const std::string& text) {
    const char* accepts = "a length in metres, or three of them, as 10,10,5";
    const std::vector<double> lengths = numbers("--spacing", text, accepts);
    const bool positive = std::ranges::all_of(lengths, [](double h) { return h > 0; });
    require(positive && (lengths.size() == 1 || lengths.size() == 3), "--spacing '" + text + "': expected " + accepts);
    return lengths.size() == 1 ? Position{lengths[0], lengths[0], lengths[0]}
                               : Position{lengths[0], lengths[1], lengths[2]};
}

/// The nearest point of the grid.
Index3 point(const std::string& option, const Position& at, const Settings& s, const Position& h) {
    Index3 grid_point{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double index = std::round(at[axis] / h[axis]);
        const auto last = static_cast<double>(s.points[axis] - 1);
        require(index >= 0 && index <= last,
                option + text(" has a position of %g m on axis %d, and the grid is from 0 to %g m there", at[axis],
                              static_cast<int>(axis) + 1, last * h[axis]));
        grid_point[axis] = static_cast<Index>(index);
    }
    return grid_point;
}

/// Receivers at equal distances from one position to another, both included.
std::vector<Position> line(const std::vector<std::string>& words, const std::string& text) {
    const Position from = position("--receivers", words[0]);
    const Position to = position("--receivers", words[1]);
    Index count = 0;
    const auto [end, error] = std::from_chars(words[2].data(), words[2].data() + words[2].size(), count);
    require(error == std::errc{} && end == words[2].data() + words[2].size() && count >= 1 && count <= 1'000'000,
            "--receivers '" + text + "': expected FROM:TO:COUNT, as 100,0,250:100,500,250:51");
    std::vector<Position> positions;
    for (Index i = 0; i < count; ++i) {
        const double share = count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1);
        Position at{};
        for (std::size_t axis = 0; axis < 3; ++axis) at[axis] = from[axis] + share * (to[axis] - from[axis]);
        positions.push_back(at);
    }
    return positions;
}

std::vector<Position> receivers_of_file(const std::string& name, const Ranks& ranks) {
    const std::string refusal = "--receivers: cannot read '" + name +
                                "'; it takes FROM:TO:COUNT, or a file with a position x1,x2,x3 in each line";
    std::vector<Position> positions;
    for (const FileLine& line : read_lines(name, refusal, ranks)) {
        positions.push_back(
            position("--receivers: " + name + ", line " + std::to_string(line.number) + ":", line.text));
    }
    require(!positions.empty(), "--receivers: " + name + " has no position x1,x2,x3 in any line");
    return positions;
}

std::vector<Position> receivers(const std::string& text, const Ranks& ranks) {
    if (text.empty()) return {};
    const std::vector<std::string> words = split(text, ':');
    return words.size() == 3 ? line(words, text) : receivers_of_file(text, ranks);
}

}  // namespace

std::array<double, 3> Survey::position_m(const Index3& point) const {
    std::array<double, 3> result{};
    for (std::size_t axis = 0; axis < 3; ++axis) result[axis] = static_cast<double>(point[axis]) * spacings_m[axis];
    return result;
}

double Survey::distance_m(const Index3& a, const Index3& b) const {
    const auto from = position_m(a);
    const auto to = position_m(b);
    return std::hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
}

Settings with_points_of_model(const Settings& settings, const Ranks& ranks) {
    const std::string& file = settings.modelling.velocity_file;
    if (file.empty()) return settings;
    const NpyHeader header = read_npy_header(file, ranks);
    require(header.shape.size() == 3, file + " has " + std::to_string(header.shape.size()) +
                                          " axes; --velocity-file takes an array of shape (n3, n2, n1)");
    Settings result = settings;
    result.points = {header.shape[2], header.shape[1], header.shape[0]};
    for (const Index n : result.points) {
        require(n >= 3 && n > settings.order / 2, file + " has " + product_text(result.points) +
                                                      " points, too few for order " + std::to_string(settings.order));
    }
    return result;
}

Medium read_medium(const Settings& settings, const Cartesian& cartesian, const Ranks& ranks) {
    const Modelling& m = settings.modelling;
    if (m.velocity_file.empty()) return {{}, m.velocity_m_s, m.velocity_m_s};
    const NpyHeader header = read_npy_header(m.velocity_file, ranks);
    Medium medium{read_npy_box(m.velocity_file, header, cartesian.owned(), ranks), 0, 0};
    const std::vector<double>& all = medium.velocities_m_s;
    const bool numbers = std::ranges::all_of(all, [](double c) { return std::isfinite(c); });
    const auto [least, greatest] = std::ranges::minmax(all);
    std::array<double, 2> ends{numbers ? -least : 0.0, greatest};
    MPI_Allreduce(MPI_IN_PLACE, ends.data(), 2, MPI_DOUBLE, MPI_MAX, ranks.communicator);
    require(ends[0] < 0, m.velocity_file + " has a velocity that is not a number above 0; velocities are in m/s");
    medium.slowest_m_s = -ends[0];
    medium.fastest_m_s = ends[1];
    return medium;
}

Survey read_survey(const Settings& settings, const Ranks& ranks) {
    const Modelling& m = settings.modelling;
    Survey survey{spacings(m.spacing), {}, {}};
    survey.source = point("--source", position("--source", m.source), settings, survey.spacings_m);
    require(survey.source[0] > 0 || !m.free_surface,
            "--source lies on the free surface, where P is 0: give it an x1 of at least half a spacing");
    for (const Position& at : receivers(m.receivers, ranks)) {
        survey.receivers.push_back(point("--receivers", at, settings, survey.spacings_m));
    }
    return survey;
}

double longest_stable_dt(const Survey& survey, const Medium& medium, int order) {
    double sum = 0;
    for (const double h : survey.spacings_m) sum += 1 / (h * h);
    return 2 / std::sqrt(stencil::second_absolute_sum(order) * sum) / medium.fastest_m_s;
}

double ricker(double frequency_Hz, double t_s) {
    const double a = std::numbers::pi * (frequency_Hz * t_s - 1.5);
    return (1 - 2 * a * a) * std::exp(-a * a);
}

}  // namespace waywiser::propa
