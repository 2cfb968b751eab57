/// The neighbours of a rank in the topology of a communicator.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpi/calls.hpp"

namespace waywiser::mpi {

/// Neighbours of a rank, by their ranks in the communicator.
struct Neighbours {
    std::vector<std::int32_t> in;
    std::vector<std::int32_t> out;
};

/// Takes a rank's neighbours from the call that creates the communicator: first the `detail` sources, then the
/// destinations.
///
/// \param objects  objects of the rank by their numbers; their `neighbours` are those known so far
template <class Objects>
void learn_neighbours(Objects& objects, const CallRole& role, const trace::Parameters& call) {
    auto* new_object = numbered(objects, call.created);
    if (new_object == nullptr) return;
    new_object->neighbours = nullptr;
    if (role.duplicates) {
        if (const auto* original = numbered(objects, call.object)) new_object->neighbours = original->neighbours;
    } else if (!call.counts.empty()) {
        const auto in =
            std::min<std::size_t>(static_cast<std::size_t>(std::max<std::int64_t>(0, call.detail)), call.counts.size());
        new_object->neighbours = std::make_shared<Neighbours>(
            Neighbours{.in = ranks_of(call.counts.first(in)), .out = ranks_of(call.counts.subspan(in))});
    }
}

}  // namespace waywiser::mpi
