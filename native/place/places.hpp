/// Positions of a running job's processes in a machine, from a file that can be read without Python.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/topology.hpp"
#include "place/slots.hpp"

namespace waywiser::place {

/// The contents of a file that `waywiser machine places` writes for a machine.
class Places {
public:
    /// Reads lines of a word and its values:
    ///
    ///     title TEXT
    ///     topology KIND
    ///     number KEY VALUE | word KEY VALUE | list KEY VALUE … | row KEY VALUE …
    ///     failed VERTEX VERTEX CABLES
    ///     level SLOTS DISTANCE
    ///     hosts NAME …
    ///
    /// The second line of values is of the topology's parameters; rows of one key are a list of lists. Levels go from
    /// the narrowest to the widest. Hosts are in the order of the topology's nodes, on one line or several.
    ///
    /// \throws InvalidInput  it cannot be read, or says something else; the line is named
    explicit Places(const std::string& path);

    /// Slots of processes by their hosts, which are known by their names or by the part before the domain. The
    /// processes of a host take its slots in their order.
    ///
    /// \throws InvalidInput  the machine lacks one of the hosts
    [[nodiscard]] Slots slots_on(std::span<const std::string_view> hosts) const;

private:
    std::string path_;
    std::string title_;
    std::unique_ptr<machine::Topology> topology_;
    std::vector<NodeLevel> levels_;
    std::map<std::string, std::uint32_t, std::less<>> node_;  ///< by the host's name
};

}  // namespace waywiser::place
