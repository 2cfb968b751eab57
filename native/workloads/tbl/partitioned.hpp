/// Tridiagonal systems whose rows the ranks of a team share. Each rank eliminates its inner rows, which leaves two
/// equations per line. The remaining equations of a line are sent to one rank, which solves them and sends the values
/// back.
///
/// Source: K.-H. Kim, J.-H. Kang, X. Pan and J.-I. Choi, "PaScaL_TDMA", Comput. Phys. Commun. 260 (2021).
#pragma once

#include "workloads/tbl/pencils.hpp"

#include <functional>
#include <vector>

namespace waywiser::tbl {

class Partitioned {
public:
    /// Matrices of whole lines. The first row has no lower neighbour, and the last row no upper one.
    struct Lines {
        std::vector<double> lower, upper;  ///< coefficients by row, equal for all lines
        /// The diagonal of the line of value i on axis 1 and k on axis 3. Infinity makes the row's value 0.
        std::function<double(Index row, Index i, Index k)> diagonal;
        bool alike;  ///< true if all lines have the same matrix
    };

    /// \param extents  extents of this rank's array; the team shares axis 2, with at least two rows per rank
    Partitioned(const Team& team, const Index3& extents, Lines lines);

    /// Solves all lines in place. Collective over the team.
    void solve(double* values);

private:
    struct Row {
        double lower, diagonal, upper;
    };
    /// One rank's first and last row after elimination, and the factors of its rows.
    struct Eliminated {
        Row first, last;
        std::vector<double> inverse;            ///< inverses of the pivots
        std::vector<double> of_first, of_last;  ///< coefficients of the rank's first and last value in the other rows
    };

    [[nodiscard]] Eliminated eliminated(const Lines& lines, int rank, Index i, Index k) const;
    void keep_own(const Lines& lines);
    void keep_reduced(const Lines& lines);
    void reduce(double* plane, Index k);
    void solve_reduced(Index plane);
    void expand(double* plane, Index k);

    /// The two equations of plane k: in `system_` if this rank solves the plane, otherwise in `packed_`.
    [[nodiscard]] std::array<double*, 2> ends(Index k);
    [[nodiscard]] Index reduced_rows() const { return Index{2} * team_.ranks; }
    [[nodiscard]] Index first_row(int rank) const { return all_rows_ * rank / team_.ranks; }
    [[nodiscard]] Index first_plane(int rank) const { return extents_[2] * rank / team_.ranks; }
    [[nodiscard]] Index planes(int rank) const { return first_plane(rank + 1) - first_plane(rank); }

    Team team_;
    Index3 extents_;
    Index all_rows_;
    bool alike_;
    std::vector<double> lower_, upper_;               ///< coefficients of the rank's rows
    Array<double> inverse_, of_first_, of_last_;      ///< factors by row, and by plane unless all lines are alike
    Array<double> low_, pivot_, high_;                ///< factors of the reduced systems that this rank solves
    Array<double> packed_;                            ///< equations for other ranks, then values from them
    Array<double> system_;                            ///< systems that this rank solves, row by row
    std::vector<int> packed_counts_, packed_begins_;  ///< indexed by rank
    std::vector<int> system_counts_, system_begins_;
};

}  // namespace waywiser::tbl
