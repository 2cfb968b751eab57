/// State and output of a rank's fault faces.
#pragma once

#include "workloads/rupture/cells.hpp"
#include "workloads/rupture/fault.hpp"
#include "workloads/rupture/sampler.hpp"
#include "workloads/rupture/saved.hpp"

#include <span>

namespace waywiser::rupture {

/// History of a point of the fault.
struct FaultPoint {
    Point at;
    double rupture_time_s;  ///< negative: not ruptured
    double slip_m;
    double peak_rate_mps;
};

/// A point of the fault at one time. Tractions are on the minus side and include the initial stress.
struct FaultSample {
    Point rate_mps;
    Point slip_m;
    Point traction_Pa;
    double path_m;    ///< slip path length
    double friction;  ///< friction coefficient
};

template <class Real>
class FaultState {
public:
    FaultState(const MeshPart& mesh, const Problem& problem, const Reference& reference, Cells<Real>& cells);

    /// Advances groups of faces on all threads: computes the jumps on both sides from their traces.
    void advance(const GroupRange& range, double time, double dt);

    [[nodiscard]] Real* traces() { return traces_.data(); }
    /// Sets a function that is called for each group before friction acts in it, from the thread that computes the
    /// group.
    void set_sampler(Sampler sampler) { sampler_ = std::move(sampler); }
    /// A sample within the starting step, after both sides are predicted and before friction acts.
    /// \param since_s  time since the start of the step
    [[nodiscard]] FaultSample sample(std::int64_t face, int point, double since_s) const;
    /// The state for a restart, independent of the order in which faces are computed.
    void save(Saved& saved) const;
    void restore(SavedReader& saved);

    [[nodiscard]] std::int64_t faces() const { return static_cast<std::int64_t>(cells_.fault_faces.size()); }
    /// Work of the traction's change on the slip, for this rank [J].
    [[nodiscard]] double work_J() const;
    /// Work of the mean traction on the jump of the velocity, for this rank [J]. Both follow from the predicted states
    /// on the two sides, before friction acts. SeisSol prints this work as total frictional work.
    [[nodiscard]] double predicted_work_J() const;
    /// Sum of shear modulus times area times slip, for this rank [N m].
    [[nodiscard]] double moment_Nm() const;
    [[nodiscard]] std::vector<FaultPoint> points() const;
    /// The friction_points(order) points of a face.
    [[nodiscard]] std::span<const Point> places(std::int64_t face) const {
        const auto count = static_cast<std::size_t>(friction_points(reference_.order));
        return std::span(places_).subspan(static_cast<std::size_t>(face) * count, count);
    }

private:
    void fill_constants(const MeshPart& mesh);
    void fill_state(const MeshPart& mesh, const Rupture& rupture);
    /// Index of a point's value in arrays with one value per point.
    [[nodiscard]] std::int64_t value(std::int64_t face, int point) const {
        constexpr std::int64_t width = lanes<Real>;
        const std::int64_t position = cells_.fault_position(face);
        return (position / width * friction_points(reference_.order) + point) * width + position % width;
    }
    /// Index of a point's first component in arrays with three values per point.
    [[nodiscard]] std::int64_t vector(std::int64_t face, int point) const {
        constexpr std::int64_t width = lanes<Real>;
        const std::int64_t position = cells_.fault_position(face);
        return (position / width * friction_points(reference_.order) + point) * 3 * width + position % width;
    }
    template <class Self, class Archive>
    static void pass(Self& self, Archive& archive);

    const Reference& reference_;
    Cells<Real>& cells_;
    FrictionLaw law_{};
    std::vector<QuadraturePoint> times_;
    std::vector<Real> to_points_;
    std::vector<Real> from_points_;
    std::vector<Real> face_mass_;
    std::vector<FaultLanes<Real>> groups_;
    std::vector<Point> places_;  ///< faces x points
    Array<Real> traces_;
    Array<Real> initial_;
    Array<Real> path_;
    Array<Real> slip_;
    Array<Real> rupture_time_;
    Array<Real> peak_rate_;
    Array<Real> scratch_;
    std::vector<double> work_;  ///< groups x lanes
    std::vector<double> predicted_work_;
    Sampler sampler_;
};

}  // namespace waywiser::rupture
