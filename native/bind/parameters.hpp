/// Parameters of a traced call for Python, which own their lists.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "trace/records/trace.hpp"

namespace waywiser::bind {

/// A number of a call, and its name in Python.
template <class Value>
struct CallNumber {
    const char* name;
    Value trace::Parameters::* field;
};

inline constexpr std::tuple kCallNumbers{CallNumber{"function", &trace::Parameters::function},
                                         CallNumber{"site", &trace::Parameters::site},
                                         CallNumber{"action", &trace::Parameters::action},
                                         CallNumber{"found", &trace::Parameters::found},
                                         CallNumber{"object", &trace::Parameters::object},
                                         CallNumber{"created", &trace::Parameters::created},
                                         CallNumber{"peer", &trace::Parameters::peer},
                                         CallNumber{"tag", &trace::Parameters::tag},
                                         CallNumber{"source", &trace::Parameters::source},
                                         CallNumber{"source_tag", &trace::Parameters::source_tag},
                                         CallNumber{"matched_source", &trace::Parameters::matched_source},
                                         CallNumber{"matched_tag", &trace::Parameters::matched_tag},
                                         CallNumber{"request", &trace::Parameters::request},
                                         CallNumber{"message", &trace::Parameters::message},
                                         CallNumber{"detail", &trace::Parameters::detail},
                                         CallNumber{"bytes", &trace::Parameters::bytes},
                                         CallNumber{"posted", &trace::Parameters::posted}};

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
