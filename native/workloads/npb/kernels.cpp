#include "workloads/npb/kernels.hpp"

#include "workloads/npb/operator_loops.hpp"
#include "workloads/npb/pentadiagonal_loops.hpp"
#include "workloads/npb/relaxation_loops.hpp"
#include "workloads/npb/tridiagonal_loops.hpp"

namespace waywiser::npb {
namespace {

constexpr Index most_lanes = 8;

}  // namespace

Index operator_scratch(Index row) {
    return (OperatorLoops::rows * OperatorLoops::parts + 5) * OperatorLoops::room(row);
}

Index line_scratch(Index points) { return 5 * most_lanes * (2 * points + 2); }

Index lines_at_once() { return register_bytes() / static_cast<Index>(sizeof(double)); }

Index plane_scratch(const Index (&extent)[2]) { return 5 * (extent[0] + extent[1] + 1) * RelaxPlane::pitch(extent[1]); }

const Kernels& kernels() {
    static const Kernels selected{
        .evaluate = for_this_cpu<OperatorLoops, OperatorWork>(),
        .solve_blocks = for_this_cpu<Solve<BlockTridiagonal>, LineWork>(),
        .solve_scalars = for_this_cpu<Solve<Pentadiagonal>, LineWork>(),
        .relax = for_this_cpu<RelaxPlane, PlaneWork>(),
    };
    return selected;
}

}  // namespace waywiser::npb
