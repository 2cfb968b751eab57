/// Sums that depend neither on the order of their terms nor on the number of ranks and threads.
///
/// A bound of the sum determines a number. The part of each term that is a multiple of this number is added to a first
/// sum. The rest is added to a second sum, as far as it is a multiple of a smaller number. Both sums are exact.
///
/// Source: J. Demmel, H. D. Nguyen, "Fast reproducible floating-point summation", 21st IEEE Symposium on Computer
/// Arithmetic, 2013, pp. 163-172, doi:10.1109/ARITH.2013.9.
#pragma once

#include <mpi.h>

#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace waywiser {

class ExactSum {
public:
    /// The sum may have at most 2^24 terms.
    /// \param bound  upper bound of the sum of magnitudes
    explicit ExactSum(double bound) {
        int exponent = 0;
        std::frexp(bound, &exponent);
        coarse_ = std::ldexp(1.5, exponent + 1);
        fine_ = std::ldexp(coarse_, -bits);
    }

    void add(double term) {
        const double multiple = (term + coarse_) - coarse_;
        parts_[0] += multiple;
        parts_[1] += ((term - multiple) + fine_) - fine_;
    }

    [[nodiscard]] double value() const { return parts_[0] + parts_[1]; }

    /// Adds the sums of all ranks by one reduction. Collective.
    static void add_ranks(std::span<ExactSum> sums, MPI_Comm communicator) {
        std::vector<double> parts;
        for (const ExactSum& sum : sums) parts.insert(parts.end(), sum.parts_.begin(), sum.parts_.end());
        MPI_Allreduce(MPI_IN_PLACE, parts.data(), static_cast<int>(parts.size()), MPI_DOUBLE, MPI_SUM, communicator);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i].parts_ = {parts[2 * i], parts[2 * i + 1]};
    }

private:
    /// The remainder of a term is at most 2^-52 of the bound, so that 2^24 remainders sum to at most 2^-28 of the
    /// bound.
    static constexpr int bits = 28;

    double coarse_ = 0;
    double fine_ = 0;
    std::array<double, 2> parts_{};
};

}  // namespace waywiser
