/// What a user asks of ww-fd.
#pragma once

#include "workloads/common/kernel_options.hpp"
#include "workloads/stencil/stencil.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace waywiser::fd {

struct NamedOperator {
    std::string_view name;
    stencil::Operator operation;
};

/// The operators that ww-fd measures, first derivatives before second.
[[nodiscard]] std::span<const NamedOperator> operators();

struct Settings : KernelSettings {
    Settings() { points[0] = 100; }

    std::string operation = "all";
    std::array<double, 3> modes{};  ///< half waves on each axis; 0 until read: such that the error is above round-off
    double amplitude = 0.8;

    [[nodiscard]] double spacing(std::size_t axis) const { return 1.0 / static_cast<double>(points[axis] - 1); }
    /// `operation`, or all of them.
    [[nodiscard]] std::vector<NamedOperator> chosen() const;
};

[[nodiscard]] Options options_of(Settings& settings);

/// \throws InvalidInput
void complete(Settings& settings);

}  // namespace waywiser::fd
