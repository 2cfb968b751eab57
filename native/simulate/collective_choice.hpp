/// Chooses the algorithms of a collective: the requested one, or the library's own selection.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "collectives/calls.hpp"
#include "simulate/common.hpp"

namespace waywiser::simulate {

class CollectiveChoice {
public:
    CollectiveChoice(const Common& common, Remarks& remarks) : common_(common), remarks_(remarks) {}

    /// \param operation  the operation without its nodes
    [[nodiscard]] collectives::Stages stages(collectives::Collective collective, const std::string& name,
                                             bool nonblocking, collectives::Operation operation, const Group& group);

private:
    [[nodiscard]] const collectives::Nodes* nodes_of(const Group& group);
    [[nodiscard]] bool has_switches(const Group& group) const;

    const Common& common_;
    Remarks& remarks_;
    std::map<const Group*, std::unique_ptr<collectives::Nodes>> nodes_;  ///< nodes of groups that have met
};

}  // namespace waywiser::simulate
