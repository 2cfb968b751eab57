/// Settings of ww-tbl.
#pragma once

#include "workloads/common/cartesian.hpp"
#include "workloads/common/options.hpp"
#include "workloads/tbl/layout.hpp"

#include <array>
#include <string>
#include <string_view>

namespace waywiser::tbl {

/// Distance from the inflow of a turbulent layer to the recycled plane, in thicknesses at the inflow.
inline constexpr double recycled_after = 9;

/// A flow and its default settings.
struct Case {
    std::string_view name;
    double reynolds;
    double dt;
    double length_1, length_3;
    double height;
    double stretching = 0;
    double perturbation = 0;
    bool sticks_at_bottom = true, sticks_at_top = true;
    double wall_velocity = 0;         ///< velocity of the bottom wall
    std::string_view drive = "none";  ///< "gradient", "bulk" or "none"
    double top_velocity = 0;
    bool open = false;  ///< the flow has an inflow and an outflow, and is not periodic along the flow
};

struct Settings {
    std::string case_name = "channel";
    const Case* flow = nullptr;  ///< set when the options have been read
    Index3 points{64, 64, 64};
    std::array<double, 3> lengths{};  ///< lengths, reynolds and dt: 0 stands for the value of the case
    double reynolds = 0;
    double dt = 0;
    Index steps = 20;
    double stretching = -1;
    double perturbation = -1;
    std::string drive;
    bool inviscid = false;
    std::string time_name = "cn-ab";
    Scheme scheme = Scheme::cn_ab;  ///< set when the options have been read
    std::string solver_name = "transpose";
    Solver solver = Solver::transpose;  ///< set when the options have been read
    Index p1 = 0, p2 = 0;               ///< 0: free
    double average_from = -1;           ///< time at which averaging begins; -1: never
    std::string statistics;
    std::string field;
    std::string json;

    [[nodiscard]] double viscosity() const { return inviscid ? 0 : 1 / reynolds; }
    [[nodiscard]] bool averages() const { return average_from >= 0; }
    /// The first step whose result is averaged, counted from 1.
    [[nodiscard]] Index first_averaged() const;
    [[nodiscard]] bool recycled() const { return case_name == "spatial"; }
    [[nodiscard]] Shape shape() const {
        return {.points = points, .solver = solver, .open = flow->open, .scheme = scheme, .recycled = recycled()};
    }
    [[nodiscard]] Index all_points() const { return points[0] * points[1] * points[2]; }
};

[[nodiscard]] Options options_of(Settings& settings);

/// Replaces missing settings by those of the case.
/// \throws InvalidInput
void complete(Settings& settings);

}  // namespace waywiser::tbl
