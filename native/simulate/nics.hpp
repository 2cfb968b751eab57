/// NICs that the ranks of a node share: one message at a time out, and one in.
#pragma once

#include <cstddef>
#include <vector>

namespace waywiser::simulate {

/// Busy times of one direction of a NIC. A message takes the first gap into which it fits, so that a message that is
/// evaluated late, but leaves early, does not wait for messages that leave after it.
class Calendar {
public:
    /// \return the start of the first gap of that length from `earliest_ns` on, which is now busy
    double take(double earliest_ns, double length_ns);

private:
    static constexpr std::size_t kMost = 4096;  ///< number of busy times; the oldest ones are merged

    struct Busy {
        double begin_ns;
        double end_ns;
    };

    std::vector<Busy> busy_;  ///< sorted and disjoint
};

struct Nic {
    Calendar out;
    Calendar in;
};

}  // namespace waywiser::simulate
