/// The table of topologies.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "machine/parameters.hpp"
#include "machine/topology.hpp"

namespace waywiser::machine {

struct ParameterAbout {
    std::string_view name;
    std::string_view about;  ///< meaning, and the default
};

struct Kind {
    std::string_view name;
    std::string_view about;
    std::span<const ParameterAbout> parameters;
    std::unique_ptr<Topology> (*make)(const Parameters& parameters);
};

[[nodiscard]] std::span<const Kind> kinds();

/// \throws InvalidInput  there is no such kind; a parameter is unknown, missing or invalid
[[nodiscard]] std::unique_ptr<Topology> make_topology(std::string_view kind,
                                                      std::map<std::string, Value, std::less<>> values);

}  // namespace waywiser::machine
