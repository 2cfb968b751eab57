#include "workloads/memory/measure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace waywiser::memory {
namespace {

constexpr std::array store_variants{Variant{"plain", Stores::plain}, Variant{"nontemporal", Stores::nontemporal}};

constexpr Kernel of_stream(StreamKernel kernel, MemoryBound like) {
    const Stream& stream = stream_of(kernel);
    return {stream.name, stream.formula, &stream, like};
}

constexpr std::array all_kernels{Kernel{"read", "sum of b", nullptr, MemoryBound::read},
                                 of_stream(StreamKernel::fill, MemoryBound::copy),
                                 of_stream(StreamKernel::copy, MemoryBound::copy),
                                 of_stream(StreamKernel::add, MemoryBound::triad),
                                 of_stream(StreamKernel::multiply, MemoryBound::triad),
                                 of_stream(StreamKernel::add_update, MemoryBound::leapfrog),
                                 of_stream(StreamKernel::triad, MemoryBound::triad),
                                 of_stream(StreamKernel::leapfrog, MemoryBound::leapfrog)};

/// What a point must be after so many sweeps from a = 0, and the size of what its roundings are relative to.
struct Expected {
    double value;
    double size;
};

Expected expected(StreamKernel kernel, double b, double c, double s, Index sweeps) {
    const auto itself = [](double value) { return Expected{value, std::abs(value)}; };
    switch (kernel) {
        case StreamKernel::fill: return itself(s);
        case StreamKernel::copy: return itself(b);
        case StreamKernel::add: return {b + c, std::abs(b) + std::abs(c)};
        case StreamKernel::multiply: return itself(b * c);
        case StreamKernel::add_update: return itself(static_cast<double>(sweeps) * b);
        case StreamKernel::triad: return {b + s * c, std::abs(b) + std::abs(s * c)};
        // Every second sweep undoes the one before.
        case StreamKernel::leapfrog:
            return {sweeps % 2 == 1 ? 2 * b + c * b : 0, 2 * std::abs(b) + std::abs(c * b)};
    }
    return {};
}

/// Greatest over all points; infinite where a value is none.
template <typename Real>
double error_of(StreamKernel kernel, Arrays<Real>& arrays, Index sweeps) {
    const Real* a = arrays.a();
    double greatest = 0;
#pragma omp parallel for schedule(static) reduction(max : greatest)
    for (Index i = 0; i < arrays.points(); ++i) {
        const Expected wanted = expected(kernel, static_cast<double>(arrays.value_b(i)),
                                         static_cast<double>(arrays.value_c(i)), static_cast<double>(arrays.s()), sweeps);
        const double off = std::abs(static_cast<double>(a[i]) - wanted.value);
        const double relative = off == 0 ? 0 : off / wanted.size;
        greatest = std::max(greatest, std::isfinite(relative) ? relative : std::numeric_limits<double>::infinity());
    }
    return greatest;
}

template <typename Real>
double error_of_sum(double found, const Arrays<Real>& arrays) {
    double wanted = 0;
    double size = 0;
#pragma omp parallel for schedule(static) reduction(+ : wanted, size)
    for (Index i = 0; i < arrays.points(); ++i) {
        const auto value = static_cast<double>(arrays.value_b(i));
        wanted += value;
        size += std::abs(value);
    }
    return size == 0 ? std::abs(found) : std::abs(found - wanted) / size;
}

double greatest_of_ranks(double value, MPI_Comm communicator) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, communicator);
    return value;
}

}  // namespace

std::span<const Variant> variants(std::string_view kernel) {
    return std::span(store_variants).first(kernel != "read" && has_nontemporal_stores ? 2 : 1);
}

std::span<const Kernel> kernels() { return all_kernels; }

int Kernel::counted_bytes(int value_bytes) const {
    return stream == nullptr ? value_bytes : stream->counted_bytes(value_bytes);
}

int Kernel::moved_bytes(int value_bytes, Stores stores) const {
    return stream == nullptr ? value_bytes : stream->moved_bytes(value_bytes, stores);
}

template <typename Real>
Result measure(const Kernel& kernel, const Variant& variant, Arrays<Real>& arrays, Index tries, MPI_Comm communicator) {
    constexpr double epsilon = std::numeric_limits<Real>::epsilon();
    if (kernel.stream == nullptr) {
        double found = 0;
        Tries taken = time_tries(tries, communicator, [&] { found = sum(arrays.b(), arrays.points()); });
        // Both sums are in double, in another order.
        return {std::move(taken), greatest_of_ranks(error_of_sum(found, arrays), communicator), 1e-12};
    }
    const Stream& stream = *kernel.stream;
    arrays.clear(stream.in_place);
    const StreamArrays<Real> view = arrays.view();
    Tries taken = time_tries(tries, communicator, [&] { sweep(stream.kernel, variant.stores, view, arrays.s()); });
    const Index sweeps = tries + 1;
    const double error = greatest_of_ranks(error_of(stream.kernel, arrays, sweeps), communicator);
    return {std::move(taken), error, 4 * epsilon * static_cast<double>(stream.in_place ? sweeps : 1)};
}

template Result measure(const Kernel&, const Variant&, Arrays<float>&, Index, MPI_Comm);
template Result measure(const Kernel&, const Variant&, Arrays<double>&, Index, MPI_Comm);

}  // namespace waywiser::memory
