/// Receivers: points at which waves, or the fault, are recorded at regular times, independent of steps.
#pragma once

#include "workloads/rupture/solver.hpp"
#include "workloads/rupture/traces.hpp"

namespace waywiser::rupture {

/// Records velocity and stress at points of cells, with the order of the scheme in space and time.
template <class Real>
class Receivers {
public:
    /// Each point belongs to the cell with the lowest number in the mesh that contains the point. Collective.
    /// \throws InvalidInput  on all ranks, if a point is outside of the mesh, or the file of traces cannot be written
    Receivers(const std::string& points_file, const std::string& traces_file, double every_s, std::int64_t kept_bytes,
              const Solver<Real>& solver, const Ranks& ranks);

    /// See Sampler.
    void sample(std::int64_t group, double time, double dt);
    /// Writes the recordings so far to the file. Collective. \return size of the file on rank 0 [B]
    std::int64_t write() { return traces_.write(); }

private:
    struct Receiver {
        std::size_t number;
        std::int32_t cell;
        std::array<double, 9> inverse_jacobian;
        std::vector<double> basis;  ///< values of the cell's functions at the point
        std::int64_t next;          ///< number of the next time of the receiver
    };
    using Coefficients = std::vector<State>;

    void locate(const std::string& points_file, const Ranks& ranks);
    [[nodiscard]] Receiver place(std::size_t number, std::int32_t cell) const;
    [[nodiscard]] Coefficients differentiate(const Receiver& receiver, const Coefficients& q, int i) const;
    [[nodiscard]] std::vector<State> derivatives(const Receiver& receiver) const;

    const Solver<Real>& solver_;
    Traces traces_;
    std::vector<Receiver> receivers_;  ///< receivers of this rank, by group
    std::vector<std::size_t> begins_;  ///< start of each group's receivers
};

/// Records friction at points of the fault. A receiver takes the nearest point of its face at which friction acts.
template <class Real>
class FaultReceivers {
public:
    /// \throws InvalidInput  on all ranks, if a point is not on the fault, or the file of traces cannot be written
    FaultReceivers(const std::string& points_file, const std::string& traces_file, double every_s,
                   std::int64_t kept_bytes, const Solver<Real>& solver, const Ranks& ranks);

    void sample(std::int64_t group, double time, double dt);
    std::int64_t write() { return traces_.write(); }

private:
    struct Receiver {
        std::size_t number;
        std::int64_t face;
        int point;
        std::int64_t next;
    };

    void locate(const std::string& points_file, const Ranks& ranks);

    const Solver<Real>& solver_;
    Traces traces_;
    std::vector<Receiver> receivers_;  ///< receivers of this rank
};

}  // namespace waywiser::rupture
