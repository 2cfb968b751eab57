/// Parameters of a traced call for Python, which own their lists.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/records/trace.hpp"

namespace waywiser::bind {

struct OwnedParameters {
    trace::Parameters values;
    std::vector<std::int32_t> requests;
    std::vector<trace::Completion> completed;
    std::vector<std::uint64_t> counts;

    OwnedParameters() = default;
    explicit OwnedParameters(const trace::Parameters& call)
        : values(call),
          requests(call.requests.begin(), call.requests.end()),
          completed(call.completed.begin(), call.completed.end()),
          counts(call.counts.begin(), call.counts.end()) {}

    [[nodiscard]] trace::Parameters view() const {
        trace::Parameters result = values;
        result.requests = requests;
        result.completed = completed;
        result.counts = counts;
        return result;
    }
};

}  // namespace waywiser::bind
