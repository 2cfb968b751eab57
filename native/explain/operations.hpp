/// Names that the analyses use for what a function is to its partners.
#pragma once

#include "trace/roles.hpp"

namespace waywiser::explain {

using trace::Epoch;
using trace::operation_of;
using trace::Role;
using trace::SendMode;
using Operation = trace::CallRole;

[[nodiscard]] inline Operation operation(std::string_view function) { return trace::call_role(function); }

}  // namespace waywiser::explain
