/// NICs that the ranks of a node share: one message at a time out, and one in.
#pragma once

#include <cstddef>
#include <vector>

namespace waywiser::simulate {

/// Busy times of one direction of a NIC. A message takes the first gap that it fits into, so that a message that is
/// evaluated late, but leaves early, does not wait for messages that leave after it.
class Calendar {
public:
    /// \return the begin of the first gap of that length from `earliest_ns` on, which is taken
    double take(double earliest_ns, double length_ns);

private:
    static constexpr std::size_t kMost = 4096;  ///< older ones are one

    struct Busy {
        double begin_ns;
        double end_ns;
    };

    std::vector<Busy> busy_;  ///< sorted, disjoint
};

struct Nic {
    Calendar out;
    Calendar in;
};

}  // namespace waywiser::simulate
