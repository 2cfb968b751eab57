/// Plot data of a run: the waves on the free surface and on the fault over time, and where and when the fault slipped.
#pragma once

#include "workloads/rupture/solver.hpp"
#include "workloads/rupture/xdmf.hpp"

namespace waywiser::rupture {

/// Velocity and stress on the free surface (tag 1) and on the minus side of the fault (tag 3). The stress is the change
/// by the waves, without the initial stress. Each face is divided into four triangles.
template <class Real>
class Snapshots {
public:
    /// Collective.
    /// \param times_s  times of the snapshots that the files already contain
    /// \throws InvalidInput  on all ranks, if the files cannot be written, or contain fewer snapshots
    Snapshots(const std::string& path, std::vector<double> times_s, const Solver<Real>& solver, const Ranks& ranks);

    /// Collective.
    void write();
    [[nodiscard]] const std::vector<double>& times_s() const { return series_->times_s(); }

private:
    struct Face {
        std::int32_t cell;
        int face;
    };

    void add(const Face& face, std::int32_t tag);

    const Solver<Real>& solver_;
    std::vector<Face> faces_;
    std::vector<std::array<Point, 3>> corners_;
    std::vector<std::int32_t> tags_;
    std::array<std::vector<std::vector<double>>, 4> basis_;  ///< functions at each corner of each face of a cell
    std::unique_ptr<XdmfSeries> series_;
};

/// Writes rupture time, slip and peak slip rate, each as the mean over a face. The time is the mean over the ruptured
/// part of the face, or NaN if no part has ruptured. Collective.
/// \throws InvalidInput  on all ranks, if the files cannot be written
template <class Real>
void write_fault_map(const std::string& path, const Solver<Real>& solver, const Ranks& ranks);

}  // namespace waywiser::rupture
