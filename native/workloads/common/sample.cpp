#include "workloads/common/sample.hpp"

namespace waywiser {

JsonObject to_json(const Sample& sample) {
    return {{"workload", sample.workload},     {"variant", sample.variant}, {"phase", sample.phase},
            {"parameters", sample.parameters}, {"ranks", sample.ranks},     {"threads", sample.threads},
            {"seconds", sample.seconds},       {"bytes", sample.bytes},     {"flops", sample.flops},
            {"points", sample.points},         {"error", sample.error},     {"verified", sample.verified},
            {"details", sample.details}};
}

}  // namespace waywiser
