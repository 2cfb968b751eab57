#include "workloads/common/sample.hpp"

namespace waywiser {
namespace {

template <typename Value>
void add(JsonObject& object, std::string_view key, const std::optional<Value>& value) {
    if (value) {
        object.add(key, *value);
    } else {
        object.add_null(key);
    }
}

}  // namespace

JsonObject to_json(const Sample& sample) {
    JsonObject object;
    object.add("workload", sample.workload)
        .add("variant", sample.variant)
        .add("phase", sample.phase)
        .add("parameters", sample.parameters)
        .add("ranks", sample.ranks)
        .add("threads", sample.threads)
        .add("seconds", sample.seconds);
    add(object, "bytes", sample.bytes);
    add(object, "flops", sample.flops);
    add(object, "points", sample.points);
    add(object, "error", sample.error);
    add(object, "verified", sample.verified);
    return object.add("details", sample.details);
}

}  // namespace waywiser
