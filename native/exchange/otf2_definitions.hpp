/// Global definitions of an OTF2 trace.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "exchange/otf2_library.hpp"

namespace waywiser::exchange::otf2 {

struct Region {
    std::string name;
    std::uint8_t paradigm = 0;
};

struct Node {
    std::string name;
    std::string class_name;
    Ref parent = kUndefined;
};

struct Group {
    std::uint8_t type = 0;
    std::vector<std::uint64_t> members;
};

struct Comm {
    std::string name;
    Ref group = kUndefined;
    Ref other_group = kUndefined;  ///< remote group of an intercommunicator
};

struct Window {
    std::string name;
    Ref comm = kUndefined;
};

struct LocationGroup {
    std::string name;
    Ref node = kUndefined;
};

struct LocationDefinition {
    Location ref = 0;
    std::uint8_t type = 0;
    std::uint64_t events = 0;
    Ref group = kUndefined;
};

struct Definitions {
    std::uint64_t ticks_per_s = 1'000'000'000;
    std::uint64_t begin_ticks = 0;
    std::uint64_t begin_unix_ns = 0;  ///< 0: unknown
    std::unordered_map<Ref, std::string> strings;
    std::unordered_map<Ref, std::string> attributes;  ///< names of attributes
    std::map<Ref, Region> regions;
    std::unordered_map<Ref, Node> nodes;
    std::map<Ref, LocationGroup> location_groups;
    std::vector<LocationDefinition> locations;
    /// in order of rank; EZTrace also gives their group's number to another group
    std::vector<Location> mpi_locations;
    std::unordered_map<Ref, Group> groups;
    std::map<Ref, Comm> comms;
    std::map<Ref, Window> windows;
    std::map<std::string, std::string> properties;  ///< properties of the system tree, with texts as values
    std::unordered_map<Ref, std::map<std::string, std::string>> group_properties;
    std::unordered_map<Location, std::map<std::string, std::string>> location_properties;

    [[nodiscard]] std::string text(Ref string) const {
        const auto at = strings.find(string);
        return at == strings.end() ? std::string() : at->second;
    }
};

/// \param anchor  anchor file, for messages
/// \throws InvalidInput  if they are damaged
[[nodiscard]] Definitions read_definitions(const Library& library, Reader* reader, const std::string& anchor);

}  // namespace waywiser::exchange::otf2
