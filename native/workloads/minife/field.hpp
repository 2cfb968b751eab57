/// A vector over the nodes of a rank, including its halo.
#pragma once

#include "workloads/minife/shares.hpp"

namespace waywiser::minife {

/// The shape is (layout.reach.volume(),), initialised to zero. Products read one node beyond either end, where values
/// are zero.
template <typename Real>
class Field {
public:
    explicit Field(const Layout& layout)
        : size_(layout.reach.volume()), storage_(static_cast<std::size_t>(size_ + 2 * margin)) {
        fill_by_threads(storage_, Real{});
    }

    [[nodiscard]] Index size() const { return size_; }
    [[nodiscard]] Real* data() { return storage_.data() + margin; }
    [[nodiscard]] const Real* data() const { return storage_.data() + margin; }
    [[nodiscard]] Real& operator[](Index position) { return data()[position]; }
    [[nodiscard]] const Real& operator[](Index position) const { return data()[position]; }

private:
    static constexpr Index margin = 64 / sizeof(Real);  // The margin aligns the first value to a cache line.

    Index size_;
    Array<Real> storage_;
};

}  // namespace waywiser::minife
