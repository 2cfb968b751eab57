/// Plot data of a run: the waves on the free surface and on the fault over time, and where and when the fault slipped.
#pragma once

#include "workloads/rupture/solver.hpp"
#include "workloads/rupture/xdmf.hpp"

namespace waywiser::rupture {

/// Velocity and stress on the free surface (tag 1) and on the minus side of the fault (tag 3); of the stress what the
/// waves have changed. Faces are cut into four triangles each.
template <class Real>
class Snapshots {
public:
    /// Collective.
    /// \param times_s  of snapshots that the files have already
    /// \throws InvalidInput  on all ranks, if the files cannot be written, or have fewer
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

/// Rupture time, slip and peak slip rate, each the mean over a face; the time is the mean over the ruptured part, or
/// not a number. Collective. \throws InvalidInput  on all ranks, if the files cannot be written
template <class Real>
void write_fault_map(const std::string& path, const Solver<Real>& solver, const Ranks& ranks);

}  // namespace waywiser::rupture
