#include "virtual/settings.hpp"

#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace waywiser::virtual_clocks {
namespace {

void read_cost(std::istream& words, machine::Messages& messages) {
    double up_to = 0;
    machine::Cost cost;
    words >> up_to >> cost.latency_ns >> cost.overhead_ns >> cost.gap_ns >> cost.ns_per_byte >>
        cost.overhead_ns_per_byte;
    if (up_to >= 0) cost.up_to_bytes = static_cast<std::uint64_t>(up_to);
    messages.costs.push_back(cost);
}

}  // namespace

Settings read_settings(const std::string& path) {
    std::ifstream file(path);
    require(file.is_open(), path + ": cannot be read");
    Settings settings;
    std::string line;
    while (std::getline(file, line)) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        if (key == "cpu") {
            words >> settings.cpu;
        } else if (key == "ranks_per_node") {
            words >> settings.ranks_per_node;
        } else if (key == "within") {
            words >> settings.within.eager_limit_bytes;
        } else if (key == "between") {
            words >> settings.between.eager_limit_bytes;
        } else if (key == "within_cost") {
            read_cost(words, settings.within);
        } else if (key == "between_cost") {
            read_cost(words, settings.between);
        } else {
            words.setstate(std::ios::failbit);
        }
        require(
            !words.fail(),
            std::string(path).append(": expected a setting of the virtual clocks, found '").append(line).append("'"));
    }
    require(settings.cpu > 0, path + ": expected a speed of cpu above 0, as a multiple of the recorded one");
    settings.within.check("within");
    settings.between.check("between");
    return settings;
}

}  // namespace waywiser::virtual_clocks
