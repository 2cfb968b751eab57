/// Implementations of the halo exchange behind one interface.
#pragma once

#include "workloads/common/halo_exchange.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace waywiser::comm {

template <class Real>
class Exchange {
public:
    virtual ~Exchange() = default;
    /// Collective: fills the faces of the halo with the neighbours' points.
    virtual void run(Grid<Real>& grid) = 0;
};

enum class Method { sendrecv, nonblocking, persistent, neighbourhood };

struct Variant {
    std::string_view name;
    std::string_view calls;
    Method method;
};

[[nodiscard]] std::span<const Variant> variants();

/// Collective over `communicator`, whose ranks are those of `cartesian`. Real is float or double.
/// \throws InvalidInput  if a face is wider than a rank's part; on all ranks
template <class Real>
[[nodiscard]] std::unique_ptr<Exchange<Real>> make_exchange(Method method, const Cartesian& cartesian,
                                                            const Grid<Real>& shape, MPI_Comm communicator);

}  // namespace waywiser::comm
