/// The problem of one run on this rank: mesh, boxes, halo, and its assembled parts.
#pragma once

#include "workloads/common/program.hpp"
#include "workloads/minife/matrix_free.hpp"
#include "workloads/minife/report.hpp"

#include <optional>
#include <span>
#include <vector>

namespace waywiser::minife {

/// Data of a solve apart from the operator; assembled on first use, and shared by the operators of a run.
class Problem {
public:
    /// Creates the problem. Collective. \param boxes  boxes of elements by rank
    Problem(const Settings& settings, std::span<const Box> boxes, const Ranks& ranks);

    [[nodiscard]] const Layout& layout() const { return layout_; }
    [[nodiscard]] std::span<const Box> owned() const { return owned_; }  ///< boxes of nodes by rank
    [[nodiscard]] Halo<double>& halo() { return halo_; }
    [[nodiscard]] const Stencil<double>& stencil() const { return sums_.stencil; }

    /// The matrix with its right side; for an operator from the stencil, only the right side.
    [[nodiscard]] const Csr& matrix(const OperatorVariant& variant) { return set_up(variant).matrix; }

    /// Times of the set-up, and the sizes of this rank.
    [[nodiscard]] const RankMetrics& metrics(const OperatorVariant& variant) { return set_up(variant).metrics; }

private:
    struct SetUp {
        Csr matrix;
        RankMetrics metrics;
    };
    [[nodiscard]] const SetUp& set_up(const OperatorVariant& variant);
    void assemble_matrix(SetUp& to) const;
    void assemble_right_side(SetUp& to) const;

    bool break_entry_;
    std::vector<Box> owned_;
    Layout layout_;
    RankMetrics sizes_;  ///< includes the halo's account
    Halo<double> halo_;
    ElementSums sums_;
    std::optional<SetUp> of_rows_;
    std::optional<SetUp> of_stencil_;
};

}  // namespace waywiser::minife
