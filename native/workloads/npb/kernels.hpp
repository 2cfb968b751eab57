/// The loops of the variant `vector`, for the widest registers of the CPU.
#pragma once

#include "workloads/common/dispatch.hpp"
#include "workloads/npb/field.hpp"

namespace waywiser::npb {

/// Arguments of the operator's kernel, see `Evaluate` in operator.hpp.
struct OperatorWork {
    const Field* u;
    const Field* forcing;
    Field* rhs;
    Region region;
    Index3 first;   ///< number of the rank's first point in the whole grid
    Index3 points;  ///< points of the whole grid
    double factor;
    double* scratch;  ///< `operator_scratch` values
};

/// \param row  points of a rank on axis 1
[[nodiscard]] Index operator_scratch(Index row);

/// Stage of a solution along lines: elimination, substitution, or both in sequence.
enum class Stage { forward, backward, both };

/// Adjacent lines, one per lane.
struct LineWork {
    Stage stage;
    Line line;     ///< the first line
    Index across;  ///< distance between lines, in values
    Index count;   ///< number of lines, at most the number of a register's lanes
    double dt;
    double* carry;      ///< values of each line that the pipeline sends; nullptr if the kernel does both stages
    double* kept;       ///< values that elimination keeps of each point, for all lanes
    double* scratch;    ///< `line_scratch` values
    bool stays_packed;  ///< u and rhs stay in `scratch` from the stage forward to the stage backward
};

/// \param points  number of a line's points on a rank
[[nodiscard]] Index line_scratch(Index points);

/// Number of lines per register.
[[nodiscard]] Index lines_at_once();

/// A plane of axis 3 in a sweep. Points are numbered in the direction of the sweep.
struct PlaneWork {
    const double* u;  ///< u and rhs refer to the first point
    double* rhs;
    Index step[2];    ///< distance to the next point on axes 1 and 2, in values
    Index between;    ///< distance between unknowns
    Index extent[2];  ///< points on axes 1 and 2
    Index points;     ///< points of a line of the whole grid
    double dt;
    bool forwards;
    const double* before[2];  ///< 5 x points: contributions of neighbours before the first column and row, or nullptr
    double* below;            ///< `plane_scratch` values: contributions of the preceding plane, then of this plane
    double* scratch;          ///< scratch memory of the same size
};

[[nodiscard]] Index plane_scratch(const Index (&extent)[2]);

struct Kernels {
    Kernel<OperatorWork> evaluate;
    Kernel<LineWork> solve_blocks;   ///< kernel of BT
    Kernel<LineWork> solve_scalars;  ///< kernel of SP
    Kernel<PlaneWork> relax;         ///< kernel of LU
};

[[nodiscard]] const Kernels& kernels();

}  // namespace waywiser::npb
