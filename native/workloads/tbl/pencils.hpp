/// The three decompositions of the grid into pencils, and the transpositions between them.
///
/// There are p1 x p2 ranks. If axis 1 is whole, axis 2 is divided by p1 and axis 3 by p2. If axis 3 is whole, axis 1 is
/// divided by p2 and axis 2 by p1. If axis 2 is whole, axis 1 is divided by p2 and axis 3 by p1. Values of axis 1 are
/// contiguous in all three, so that no transposition within a rank is necessary.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/common/cartesian.hpp"

#include <mpi.h>

#include <vector>

namespace waywiser::tbl {

/// Ranks that share lines of an axis: the ranks of a row, or of a column.
struct Team {
    MPI_Comm communicator = MPI_COMM_NULL;
    int ranks = 1;
    int rank = 0;
};

/// The rank's row and column in the p1 x p2 grid of ranks.
class Teams {
public:
    /// Ranks are numbered along p1 first.
    Teams(MPI_Comm communicator, Index p1);
    Teams(const Teams&) = delete;
    Teams& operator=(const Teams&) = delete;
    ~Teams();

    [[nodiscard]] const Team& along(std::size_t axis) const { return axis == 1 ? first_ : second_; }

private:
    Team first_;   ///< the p1 ranks that share axis 2
    Team second_;  ///< the p2 ranks that share axis 3
};

/// Transposes between an array that has `axis_from` whole and an array that has `axis_to` whole.
class Transposition {
public:
    /// \param extents_from, extents_to  extents of this rank's arrays, in values
    /// \param unit                      values that stay together on axis 1
    Transposition(const Team& team, const Index3& extents_from, std::size_t axis_from, const Index3& extents_to,
                  std::size_t axis_to, Index unit);

    /// Collective over the team.
    void there(const double* from, double* to) { move(from_, from, to_, to); }
    void back(const double* to, double* from) { move(to_, to, from_, from); }

private:
    /// One of the two arrays of this rank, with the part that each rank of the team has in the other array.
    struct Side {
        Index3 extents;
        std::size_t axis;
        std::vector<Region> parts;
        std::vector<int> counts;    ///< values of each part; 0 for this rank's own part
        std::vector<int> in_place;  ///< start of each part in the array
        std::vector<int> packed;    ///< start of each part in a message

        [[nodiscard]] bool contiguous() const { return axis == 2; }
    };

    [[nodiscard]] Side side(const Index3& extents, std::size_t axis, Index unit) const;
    void move(const Side& from, const double* sent, const Side& to, double* received);

    Team team_;
    Side from_;
    Side to_;
    Array<double> buffer_;  ///< message buffer of the side whose parts are not contiguous
};

/// Arrays of `unit` values per point of a grid, in each of the three layouts of a rank.
class Pencils {
public:
    /// \param first, second  the ranks that share axis 2, and axis 3
    /// \param to_axis_2      true if transpositions make axis 2 whole
    Pencils(const Team& first, const Team& second, const Index3& points, Index unit, bool to_axis_2);

    /// Extents in values; axis 1 first.
    [[nodiscard]] const Index3& extents(std::size_t whole_axis) const { return extents_[whole_axis]; }

    /// Transpositions between arrays with axis 1, axis 3 and axis 2 whole.
    /// \return the transposed array: `from` if the rank is alone in its row or column
    [[nodiscard]] double* to_axis_3(double* from);
    [[nodiscard]] double* to_axis_2(double* from);
    void back_to_axis_3(double* from, double* to);
    void back_to_axis_1(double* from, double* to);

private:
    std::array<Index3, 3> extents_;
    std::vector<Transposition> rows_;     ///< one transposition, or none if a rank is alone in its row
    std::vector<Transposition> columns_;  ///< one transposition, or none if a rank is alone in its column
    Array<double> with_axis_3_;
    Array<double> with_axis_2_;
};

}  // namespace waywiser::tbl
