/// The fault faces of a rank: their state, and what is seen of them.
#pragma once

#include "workloads/rupture/cells.hpp"
#include "workloads/rupture/fault.hpp"

namespace waywiser::rupture {

/// What the fault has seen at one of its points.
struct FaultPoint {
    Point at;
    double rupture_time_s;  ///< negative: not ruptured
    double slip_m;
    double peak_rate_mps;
};

template <class Real>
class FaultState {
public:
    FaultState(const MeshPart& mesh, const Problem& problem, const Reference& reference, Cells<Real>& cells);

    /// Of groups of faces, by all threads: from the traces of both sides to the jumps that they see.
    void advance(const GroupRange& range, double time, double dt);

    [[nodiscard]] Real* traces() { return traces_.data(); }
    [[nodiscard]] std::int64_t faces() const { return static_cast<std::int64_t>(cells_.fault_faces.size()); }
    /// Work of the traction's change on the slip, of this rank [J].
    [[nodiscard]] double work_J() const;
    /// Sum of shear modulus, area and slip, of this rank [N m].
    [[nodiscard]] double moment_Nm() const;
    [[nodiscard]] std::vector<FaultPoint> points() const;

private:
    void fill_constants(const MeshPart& mesh);
    void fill_state(const MeshPart& mesh, const Rupture& rupture);

    const Reference& reference_;
    Cells<Real>& cells_;
    FrictionLaw law_{};
    std::vector<QuadraturePoint> times_;
    std::vector<Real> to_points_;
    std::vector<Real> from_points_;
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
};

}  // namespace waywiser::rupture
