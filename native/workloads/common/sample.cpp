#include "workloads/common/sample.hpp"

namespace waywiser {

JsonObject to_json(const Sample& sample) {
    JsonObject object;
    object.add("workload", sample.workload)
        .add("variant", sample.variant)
        .add("phase", sample.phase)
        .add("parameters", sample.parameters)
        .add("ranks", sample.ranks)
        .add("threads", sample.threads)
        .add("seconds", sample.seconds)
        .add("bytes", sample.bytes)
        .add("flops", sample.flops)
        .add("points", sample.points)
        .add("error", sample.error)
        .add("verified", sample.verified)
        .add("details", sample.details);
    return object;
}

}  // namespace waywiser
