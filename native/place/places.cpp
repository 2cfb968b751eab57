#include "place/places.hpp"

#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "machine/failures.hpp"
#include "machine/table.hpp"

namespace waywiser::place {
namespace {

using Numbers = std::vector<std::int64_t>;

/// The lines of the file, from which the topology is built.
struct Lines {
    std::string title = "the machine";
    std::string topology;
    std::map<std::string, machine::Value, std::less<>> parameters;
    std::vector<machine::Failure> failed;
    std::vector<NodeLevel> levels;
    std::vector<std::string> hosts;
};

template <class T>
std::vector<T> rest_of(std::istringstream& words) {
    std::vector<T> values;
    for (T value; words >> value;) values.push_back(std::move(value));
    if (words.eof()) words.clear(std::ios::eofbit);
    return values;
}

void read_parameter(std::string_view word, std::istringstream& words, Lines& lines) {
    std::string key;
    words >> key;
    if (word == "number") {
        std::int64_t number = 0;
        words >> number;
        lines.parameters[key] = number;
    } else if (word == "word") {
        std::string text;
        words >> text;
        lines.parameters[key] = text;
    } else if (word == "list") {
        lines.parameters[key] = rest_of<std::int64_t>(words);
    } else {
        auto& value = lines.parameters[key];
        if (!std::holds_alternative<std::vector<Numbers>>(value)) value = std::vector<Numbers>{};
        std::get<std::vector<Numbers>>(value).push_back(rest_of<std::int64_t>(words));
    }
}

/// \return whether the line has a known form
bool read_line(const std::string& line, Lines& lines) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "title") {
        std::getline(words >> std::ws, lines.title);
    } else if (word == "topology") {
        words >> lines.topology;
    } else if (word == "number" || word == "word" || word == "list" || word == "row") {
        read_parameter(word, words, lines);
    } else if (word == "failed") {
        machine::Failure& failure = lines.failed.emplace_back();
        words >> failure.a >> failure.b >> failure.cables;
    } else if (word == "level") {
        NodeLevel& level = lines.levels.emplace_back();
        words >> level.slots >> level.distance;
        if (level.slots == 0) return false;
    } else if (word == "hosts") {
        for (std::string& host : rest_of<std::string>(words)) lines.hosts.push_back(std::move(host));
    } else {
        return false;
    }
    return !words.fail() && (words >> std::ws).eof();
}

}  // namespace

Places::Places(const std::string& path) : path_(path) {
    std::ifstream file(path);
    require(file.is_open(), path + ": cannot be read");
    Lines lines;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        require(read_line(line, lines), path + ":" + std::to_string(number) +
                                            ": expected a line as `waywiser machine places` writes it, found '" +
                                            line.substr(0, 60) + "'");
    }
    require(!file.bad(), path + ": cannot be read");
    require(!lines.topology.empty() && !lines.hosts.empty(),
            path + " has no line 'topology' or no line 'hosts'; `waywiser machine places` writes such files");
    try {
        topology_ = machine::without(machine::make_topology(lines.topology, std::move(lines.parameters)), lines.failed);
    } catch (const InvalidInput& error) {
        throw InvalidInput(path + ": " + error.what());
    }
    require(lines.hosts.size() <= topology_->node_count(), path + " names " + std::to_string(lines.hosts.size()) +
                                                               " hosts, but the topology has " +
                                                               std::to_string(topology_->node_count()) + " nodes");
    title_ = std::move(lines.title);
    levels_ = std::move(lines.levels);
    for (std::uint32_t node = 0; node < lines.hosts.size(); ++node) node_.emplace(std::move(lines.hosts[node]), node);
}

Slots Places::slots_on(std::span<const std::string_view> hosts) const {
    Slots slots{.topology = topology_.get(), .node = {}, .position = {}, .levels = levels_};
    std::vector<std::uint32_t> taken(topology_->node_count());
    for (const std::string_view host : hosts) {
        auto entry = node_.find(host);
        if (entry == node_.end()) entry = node_.find(host.substr(0, host.find('.')));
        require(entry != node_.end(), path_ + ": " + std::string(host) + " is not a host of " + title_);
        slots.node.push_back(entry->second);
        slots.position.push_back(taken[entry->second]++);
    }
    return slots;
}

}  // namespace waywiser::place
