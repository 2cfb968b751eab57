/// Collectives that switches execute, and the members that have joined them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/pool.hpp"
#include "simulate/channels.hpp"
#include "simulate/members.hpp"
#include "simulate/settings.hpp"

namespace waywiser::simulate {

/// A reduction whose result is available once all members have contributed.
struct Reduction {
    const Group* group = nullptr;
    Charge charge;
    int missing = 0;                     ///< members that have not arrived
    int inside = 0;                      ///< members that have not left
    double last_begin_ns = 0;            ///< start of the member whose part came last
    Timestamp complete;                  ///< time at which all parts are at the top of the switches' tree
    std::vector<bool> came;              ///< indexed by member
    std::vector<std::uint32_t> waiters;  ///< by member: actor that is parked until all have arrived
};

class Reductions {
public:
    /// Adds a member to its next collective of the context. \return number of the reduction
    [[nodiscard]] std::uint32_t join(const Group& group, std::uint32_t context, std::size_t place);

    /// Removes a member; after the last one, the number is reused.
    void leave(std::uint32_t number) {
        if (--reductions_[number].inside == 0) reductions_.release(number);
    }

    [[nodiscard]] Reduction& operator[](std::uint32_t number) { return reductions_[number]; }

private:
    [[nodiscard]] std::uint32_t make(const Group& group);

    Pool<std::vector<Reduction>> reductions_;
    std::map<std::uint32_t, std::vector<std::uint32_t>> open_;  ///< by context: reductions that lack members
};

}  // namespace waywiser::simulate
