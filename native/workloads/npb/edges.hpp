/// Transport of one row or column of a plane of axis 3 from one rank to the next in a sweep of LU.
#pragma once

#include "workloads/npb/problem.hpp"

namespace waywiser::npb {

class Edges {
public:
    explicit Edges(Problem& problem)
        : problem_(problem), cell_(problem.cells.front()), inner_(inner_points(cell_.cartesian)) {}

    /// Fills the halo of rhs next to the rank, on the side from which the sweep comes.
    void receive(Index plane, Side from);

    void send(Index plane, Side to);

private:
    static constexpr int tag = 3;

    [[nodiscard]] Region edge(std::size_t axis, Index plane, Index at) const;

    Problem& problem_;
    Cell& cell_;
    Region inner_;
    std::vector<double> values_;
};

}  // namespace waywiser::npb
