/// Positions of a running job's processes in a machine, from a file that is readable without Python.
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

/// The content of a file that `waywiser machine places` writes for a machine.
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
    /// The lines after `topology` are its parameters; rows with the same key form a list of lists. Levels go from the
    /// narrowest to the widest. Hosts are in the order of the topology's nodes, on one line or several.
    ///
    /// \throws InvalidInput  the file cannot be read or has another form; the message names the line
    explicit Places(const std::string& path);

    /// Slots of processes by their hosts, which are found by name or by the part before the domain. The processes of a
    /// host get its slots in order.
    ///
    /// \throws InvalidInput  the machine lacks one of the hosts
    [[nodiscard]] Slots slots_on(std::span<const std::string_view> hosts) const;

private:
    std::string path_;
    std::string title_;
    std::unique_ptr<machine::Topology> topology_;
    std::vector<NodeLevel> levels_;
    std::map<std::string, std::uint32_t, std::less<>> node_;  ///< indexed by host name
};

}  // namespace waywiser::place
