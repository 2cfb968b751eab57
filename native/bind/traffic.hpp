/// Traffic between ranks for Python, without NumPy, whose import takes longer than showing a small run.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>

#include "trace/reading/totals.hpp"

namespace waywiser::bind {

using TripleArray = nanobind::ndarray<nanobind::memview, std::uint64_t, nanobind::shape<-1, 3>>;
using TrafficArrays = nanobind::typed<nanobind::tuple, TripleArray, TripleArray>;

/// Converts triples to a list that Python owns.
inline TripleArray array(trace::Triples triples) {
    auto* kept = new trace::Triples(std::move(triples));
    const nanobind::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<trace::Triples*>(pointer); });
    return TripleArray(kept->data(), {kept->size(), 3}, owner);
}

inline TrafficArrays arrays(trace::Traffic traffic) {
    return TrafficArrays(nanobind::make_tuple(array(std::move(traffic.bytes)), array(std::move(traffic.messages))));
}

}  // namespace waywiser::bind
