/// NumPy arrays.
#pragma once

#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

namespace waywiser::bind {

/// A NumPy array of the caller, used without a copy.
template <class Value>
using Column = nanobind::ndarray<const Value, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

/// An array that owns its values.
template <class Value>
[[nodiscard]] auto numpy(std::vector<Value> values) {
    auto* kept = new std::vector<Value>(std::move(values));
    const nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
    return nanobind::ndarray<nanobind::numpy, Value, nanobind::ndim<1>>(kept->data(), {kept->size()}, owner);
}

}  // namespace waywiser::bind
