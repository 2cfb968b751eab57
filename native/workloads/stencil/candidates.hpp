/// Choice of the variant of a kernel on grids, and of the cache block for each variant.
#pragma once

#include "workloads/common/kernel_options.hpp"
#include "workloads/common/named.hpp"
#include "workloads/common/variants.hpp"
#include "workloads/stencil/blocks.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waywiser::stencil {

template <class Variant>
struct Candidate {
    std::string name;  ///< "VARIANT:BLOCK"
    const Variant* variant;
    Block block;
};

/// Returns the requested block, or the usual blocks if none was requested. Blocks are clipped to the grid, and
/// duplicates removed.
template <class Real>
[[nodiscard]] std::vector<Block> blocks_for(const KernelSettings& settings, Operator operation) {
    const Index3& shape = settings.block_shape;
    const bool automatic = shape == Index3{};
    std::vector<Block> result;
    for (const Block& block : automatic ? usual_blocks<Real>(operation, settings.order)
                                        : std::vector<Block>{{shape[0], shape[1], shape[2]}}) {
        const Block fitting{std::min(block.points, settings.points[0]), std::min(block.rows, settings.points[1]),
                            std::min(block.planes, settings.points[2])};
        if (std::ranges::find(result, fitting) == result.end()) result.push_back(fitting);
    }
    return result;
}

/// Returns the variants that `--variant` selects, each with its fastest block: the named variant for NAME, every
/// variant for `all`, the fastest for `auto`. A `Variant` has a `name`; `in_blocks` is true if its speed depends on the
/// block.
///
/// \param key      key in the tuning cache, see `tuning_key`
/// \param seconds  times a short run of a way; collective, with the same result on all ranks
/// \throws InvalidInput  with the names of the variants, if `--variant` is none of them
template <class Variant, class Seconds>
[[nodiscard]] std::vector<Candidate<Variant>> choose_candidates(std::span<const Variant> variants,
                                                                const std::vector<Block>& blocks,
                                                                const KernelSettings& settings, const std::string& key,
                                                                MPI_Comm communicator, Seconds seconds) {
    std::vector<Candidate<Variant>> candidates;
    const auto add_candidates = [&](const Variant& variant) {
        for (const Block& block : std::span(blocks).first(variant.in_blocks ? blocks.size() : 1)) {
            candidates.push_back({std::string(variant.name) + ':' + block_text(block), &variant, block});
        }
    };
    const auto fastest_of = [&](const std::string& of) {
        const std::string block_key = settings.block == "auto" ? "" : ':' + settings.block;
        return fastest(std::span<const Candidate<Variant>>(candidates), key + ':' + of + block_key, settings.retune,
                       communicator, seconds);
    };
    if (settings.variant == "auto") {
        for (const Variant& variant : variants) add_candidates(variant);
        return {fastest_of("auto")};
    }
    const std::span<const Variant> named =
        settings.variant == "all" ? variants
                                  : std::span(&find_named(variants, "variant", settings.variant, all_or_auto()), 1);
    std::vector<Candidate<Variant>> result;
    for (const Variant& variant : named) {
        candidates.clear();
        add_candidates(variant);
        result.push_back(fastest_of(std::string(variant.name)));
    }
    return result;
}

}  // namespace waywiser::stencil
