#include "workloads/minife/problem.hpp"

#include "workloads/minife/assembly.hpp"
#include "workloads/minife/boundary.hpp"

namespace waywiser::minife {
namespace {

std::vector<Box> nodes_of(const Mesh& mesh, std::span<const Box> boxes) {
    std::vector<Box> owned;
    owned.reserve(boxes.size());
    for (const Box& box : boxes) owned.push_back(mesh.owned_nodes(box));
    return owned;
}

Halo<double> timed_halo(const Layout& layout, std::span<const Box> owned, const Ranks& ranks, Account& account) {
    MPI_Barrier(ranks.communicator);
    Stopwatch watch;
    Halo<double> halo(find_neighbours(layout.mesh, owned, ranks.rank), layout, ranks.communicator);
    account.add(watch.lap_s(), {4 * (halo.sent_nodes() + halo.received_nodes()), 0});
    return halo;
}

}  // namespace

Problem::Problem(const Settings& settings, std::span<const Box> boxes, const Ranks& ranks)
    : break_entry_(settings.break_entry),
      owned_(nodes_of(Mesh{settings.elements}, boxes)),
      layout_{Mesh{settings.elements}, owned_[static_cast<std::size_t>(ranks.rank)]},
      halo_(timed_halo(layout_, owned_, ranks, sizes_.halo)),
      sums_(element_sums(layout_.mesh)) {
    sizes_.rows = static_cast<double>(layout_.rows());
    sizes_.sent_nodes = static_cast<double>(halo_.sent_nodes());
    sizes_.neighbours = static_cast<double>(halo_.neighbours().size());
    sizes_.own_elements = static_cast<double>(boxes[static_cast<std::size_t>(ranks.rank)].volume());
    if (break_entry_) break_entry(sums_);
}

const Problem::SetUp& Problem::set_up(const OperatorVariant& variant) {
    std::optional<SetUp>& done = variant.assembled() ? of_rows_ : of_stencil_;
    if (!done) {
        done.emplace(SetUp{.matrix = {}, .metrics = sizes_});
        variant.assembled() ? assemble_matrix(*done) : assemble_right_side(*done);
    }
    return *done;
}

void Problem::assemble_matrix(SetUp& to) const {
    RankMetrics& metrics = to.metrics;
    Stopwatch watch;
    to.matrix = allocate_matrix(layout_);
    const Index rows = to.matrix.rows();
    const Index entries = to.matrix.entries();
    metrics.memory.add(watch.lap_s(), {matrix_bytes(rows, entries), 0});
    generate_structure(layout_, to.matrix);
    metrics.structure.add(watch.lap_s(), {structure_bytes(rows, entries), 0});
    const Index integrated = assemble(layout_, to.matrix);
    metrics.assembly.add(watch.lap_s(), {assembly_bytes(rows, entries), assembly_flops(integrated)});
    const Index visited = apply_boundary_conditions(layout_, to.matrix);
    metrics.boundary.add(watch.lap_s(), {16 * visited, 2 * visited});
    if (break_entry_) break_entry(layout_, to.matrix);
}

void Problem::assemble_right_side(SetUp& to) const {
    Stopwatch watch;
    to.matrix.right_side = Array<double>(static_cast<std::size_t>(layout_.rows()));
    touch_by_threads(to.matrix.right_side);
    to.metrics.memory.add(watch.lap_s(), {8 * layout_.rows(), 0});
    fill_right_side(layout_, sums_, to.matrix.right_side);
    to.metrics.assembly.add(watch.lap_s(), {8 * layout_.rows(), 0});
}

}  // namespace waywiser::minife
