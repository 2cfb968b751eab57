#include "trace/encoding/call_columns.hpp"

namespace waywiser::trace {

Parameters without(const Parameters& parameters, Fields fields) {
    static const Parameters none;
    Parameters rest = parameters;
    std::array<std::uint64_t, 17> values{};
    each_number(none, [&](unsigned bit, const auto& value) { values[bit] = static_cast<std::uint64_t>(value); });
    each_number(rest, [&](unsigned bit, auto& value) {
        if ((fields >> bit & 1U) != 0) value = static_cast<std::remove_reference_t<decltype(value)>>(values[bit]);
    });
    if ((fields & kRequests) != 0) rest.requests = {};
    if ((fields & kCompleted) != 0) rest.completed = {};
    if ((fields & kCounts) != 0) rest.counts = {};
    return rest;
}

Fields difference(const Parameters& a, const Parameters& b) {
    Fields fields = 0;
    std::array<std::uint64_t, 17> values{};
    each_number(a, [&](unsigned bit, const auto& value) { values[bit] = static_cast<std::uint64_t>(value); });
    each_number(b, [&](unsigned bit, const auto& value) {
        if (static_cast<std::uint64_t>(value) != values[bit]) fields |= 1U << bit;
    });
    if (!std::ranges::equal(a.requests, b.requests)) fields |= kRequests;
    if (!std::ranges::equal(a.completed, b.completed)) fields |= kCompleted;
    if (!std::ranges::equal(a.counts, b.counts)) fields |= kCounts;
    return fields;
}

}  // namespace waywiser::trace
