/// One kernel of ww-memory in one variant: timed, then checked at every point.
#pragma once

#include "workloads/common/roofline.hpp"
#include "workloads/common/tries.hpp"
#include "workloads/memory/arrays.hpp"
#include "workloads/memory/settings.hpp"

#include <span>
#include <string_view>

namespace waywiser::memory {

/// How values are stored: an entry of the table of variants.
struct Variant {
    std::string_view name;
    Stores stores;
};

/// The variants that the machine has; `read` stores nothing and has the first alone.
[[nodiscard]] std::span<const Variant> variants(std::string_view kernel);

/// A kernel that `--kernel` names: a sweep of `streams`, or `read`.
struct Kernel {
    std::string_view name;
    std::string_view formula;
    const Stream* stream;  ///< null: reads b and adds it up
    MemoryBound like;

    [[nodiscard]] int counted_bytes(int value_bytes) const;
    [[nodiscard]] int moved_bytes(int value_bytes, Stores stores) const;
    [[nodiscard]] int flops() const { return stream == nullptr ? 1 : stream->flops; }
};

[[nodiscard]] std::span<const Kernel> kernels();

struct Result {
    Tries tries;
    double error;    ///< greatest of any point and rank, relative
    double allowed;  ///< by the rounding of so many operations

    [[nodiscard]] bool verified() const { return error <= allowed; }
};

/// Collective. Real is float or double.
template <typename Real>
[[nodiscard]] Result measure(const Kernel& kernel, const Variant& variant, Arrays<Real>& arrays, Index tries,
                             MPI_Comm communicator);

}  // namespace waywiser::memory
