#include "workloads/spectral/products.hpp"

#include "workloads/common/dispatch.hpp"

#include <algorithm>

namespace waywiser::spectral {
namespace {

#ifdef __aarch64__
constexpr int registers_a_panel = 4;
#else
/// Two registers times six rings give twelve sums, which fit into 16 registers and keep two units with a latency of 4
/// cycles busy.
constexpr int registers_a_panel = 2;
#endif

constexpr int block = static_cast<int>(rings_a_block);

/// Prefetch distance; rings are too far apart in memory for the hardware prefetcher.
constexpr Index rings_ahead = 4;

template <int bytes>
struct Lanes {
    typedef double Vector [[gnu::vector_size(bytes), gnu::aligned(sizeof(double)), gnu::may_alias]];
    static constexpr int lanes = bytes / static_cast<int>(sizeof(double));
    static constexpr int panel = registers_a_panel * lanes;
    static_assert(greatest_panel % panel == 0);

    static Index panels(const Product& p) { return (p.values + panel - 1) / panel; }

    struct Sums {
        Vector of[block][registers_a_panel];
    };
};

template <int bytes, int count>
[[gnu::always_inline]] inline void add_products(typename Lanes<bytes>::Sums& sums, const double* factors, int stride,
                                                const double* row) {
    using Vector = typename Lanes<bytes>::Vector;
    Vector x[registers_a_panel];
    for (int c = 0; c < registers_a_panel; ++c) {
        x[c] = *reinterpret_cast<const Vector*>(row + c * Lanes<bytes>::lanes);
    }
    for (int k = 0; k < count; ++k) {
        for (int c = 0; c < registers_a_panel; ++c) sums.of[k][c] += factors[k * stride] * x[c];
    }
}

struct Synthesis {
    template <int bytes>
    [[gnu::always_inline]] static void run(const Product& p) {
        using L = Lanes<bytes>;
        using Vector = typename L::Vector;
        const Index panels = L::panels(p);
        std::array<double*, 2> packed{p.room, p.room + p.degrees[0] * p.columns};
        for (std::size_t parity = 0; parity < 2; ++parity) pack<bytes>(p, parity, packed[parity]);
        for (Index b = 0; b < blocks(p.rings); ++b) {
            const Index rings = std::min(rings_a_block, p.rings - b * rings_a_block);
            for (Index k = 0; k < panels; ++k) {
                for (Index r = 0; r < rings; ++r) {
                    __builtin_prefetch(p.north[b * rings_a_block + r] + k * L::panel, 1);
                    __builtin_prefetch(p.south[b * rings_a_block + r] + k * L::panel, 1);
                }
                typename L::Sums sums[2];
                for (std::size_t parity = 0; parity < 2; ++parity) {
                    typename L::Sums own = {};
                    const double* factors = p.functions[parity] + b * p.stored[parity] * rings_a_block;
                    const double* row = packed[parity] + k * p.degrees[parity] * L::panel;
                    for (Index n = 0; n < p.degrees[parity]; ++n, factors += block, row += L::panel) {
                        add_products<bytes, block>(own, factors, 1, row);
                    }
                    sums[parity] = own;
                }
                const Index there = std::min<Index>(L::panel, p.values - k * L::panel);
                for (Index r = 0; r < rings; ++r) {
                    double* const north = p.north[b * rings_a_block + r] + k * L::panel;
                    double* const south = p.south[b * rings_a_block + r] + k * L::panel;
                    Vector sum[registers_a_panel];
                    Vector difference[registers_a_panel];
                    for (int c = 0; c < registers_a_panel; ++c) {
                        sum[c] = sums[0].of[r][c] + sums[1].of[r][c];
                        difference[c] = sums[0].of[r][c] - sums[1].of[r][c];
                    }
                    if (there == L::panel) {
                        for (int c = 0; c < registers_a_panel; ++c) {
                            *reinterpret_cast<Vector*>(north + c * L::lanes) = sum[c];
                            *reinterpret_cast<Vector*>(south + c * L::lanes) = difference[c];
                        }
                    } else {
                        std::copy_n(reinterpret_cast<const double*>(sum), there, north);
                        std::copy_n(reinterpret_cast<const double*>(difference), there, south);
                    }
                }
            }
        }
    }

    /// Packs by panel of columns, so that kernels read contiguous memory.
    template <int bytes>
    [[gnu::always_inline]] static void pack(const Product& p, std::size_t parity, double* to) {
        using L = Lanes<bytes>;
        using Vector = typename L::Vector;
        for (Index k = 0; k < L::panels(p); ++k) {
            for (Index n = 0; n < p.degrees[parity]; ++n, to += L::panel) {
                const double* const from = p.coefficients[parity] + n * p.columns + k * L::panel;
                for (int c = 0; c < L::panel; c += L::lanes) {
                    *reinterpret_cast<Vector*>(to + c) = *reinterpret_cast<const Vector*>(from + c);
                }
            }
        }
    }
};

struct Analysis {
    template <int bytes>
    [[gnu::always_inline]] static void run(const Product& p) {
        using L = Lanes<bytes>;
        const Index panels = L::panels(p);
        std::array<double*, 2> packed{p.room, p.room + p.rings * p.columns};
        pack<bytes>(p, packed);
        for (std::size_t parity = 0; parity < 2; ++parity) {
            for (Index first = 0; first < p.degrees[parity]; first += block) {
                for (Index k = 0; k < panels; ++k) {
                    const double* const rows = packed[parity] + k * p.rings * L::panel;
                    switch (std::min<Index>(block, p.degrees[parity] - first)) {
                        case 1: sum<bytes, 1>(p, parity, first, k, rows); break;
                        case 2: sum<bytes, 2>(p, parity, first, k, rows); break;
                        case 3: sum<bytes, 3>(p, parity, first, k, rows); break;
                        case 4: sum<bytes, 4>(p, parity, first, k, rows); break;
                        case 5: sum<bytes, 5>(p, parity, first, k, rows); break;
                        default: sum<bytes, block>(p, parity, first, k, rows);
                    }
                }
            }
        }
    }

    /// Sums of `count` degrees over all rings.
    template <int bytes, int count>
    [[gnu::always_inline]] static void sum(const Product& p, std::size_t parity, Index first, Index k,
                                           const double* row) {
        using L = Lanes<bytes>;
        typename L::Sums sums = {};
        const double* factors = p.functions[parity] + first * rings_a_block;
        const Index whole = p.rings / rings_a_block;
        for (Index b = 0; b < whole; ++b, factors += p.stored[parity] * rings_a_block) {
            // Each panel prefetches a cache line of the next degrees' functions, which follow in memory.
            __builtin_prefetch(factors + block * rings_a_block + k * 8);
            // In an unrolled loop, the sums would not stay in registers.
#pragma GCC unroll 1
            for (int r = 0; r < block; ++r, row += L::panel) add_products<bytes, count>(sums, factors + r, block, row);
        }
        for (Index r = 0; r < p.rings - whole * rings_a_block; ++r, row += L::panel) {
            add_products<bytes, count>(sums, factors + r, block, row);
        }
        for (int n = 0; n < count; ++n) {
            double* const to = p.coefficients[parity] + (first + n) * p.columns + k * L::panel;
            for (int c = 0; c < registers_a_panel; ++c) {
                *reinterpret_cast<typename L::Vector*>(to + c * L::lanes) = sums.of[n][c];
            }
        }
    }

    /// Packs weighted sums and differences of hemispheres by panel.
    template <int bytes>
    [[gnu::always_inline]] static void pack(const Product& p, const std::array<double*, 2>& packed) {
        using L = Lanes<bytes>;
        using Vector = typename L::Vector;
        for (Index ring = 0; ring < p.rings; ++ring) {
            const double weight = p.weights[ring];
            const Index next = std::min(ring + rings_ahead, p.rings - 1);
            for (Index k = 0; k < L::panels(p); ++k) {
                const double* north = p.north[ring] + k * L::panel;
                const double* south = p.south[ring] + k * L::panel;
                double last[2][L::panel];
                const Index there = std::min<Index>(L::panel, p.values - k * L::panel);
                __builtin_prefetch(p.north[next] + k * L::panel);
                __builtin_prefetch(p.south[next] + k * L::panel);
                if (there < L::panel) {
                    std::fill_n(std::copy_n(north, there, last[0]), L::panel - there, 0.0);
                    std::fill_n(std::copy_n(south, there, last[1]), L::panel - there, 0.0);
                    north = last[0];
                    south = last[1];
                }
                const Index to = (k * p.rings + ring) * L::panel;
                for (int c = 0; c < L::panel; c += L::lanes) {
                    const Vector n = *reinterpret_cast<const Vector*>(north + c);
                    const Vector s = *reinterpret_cast<const Vector*>(south + c);
                    *reinterpret_cast<Vector*>(packed[0] + to + c) = weight * (n + s);
                    *reinterpret_cast<Vector*>(packed[1] + to + c) = weight * (n - s);
                }
            }
        }
    }
};

}  // namespace

void synthesise(const Product& product) {
    static const Kernel<Product> kernel = for_this_cpu<Synthesis, Product>();
    kernel(product);
}

void analyse(const Product& product) {
    static const Kernel<Product> kernel = for_this_cpu<Analysis, Product>();
    kernel(product);
}

}  // namespace waywiser::spectral
