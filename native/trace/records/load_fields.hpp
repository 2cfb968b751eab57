/// The parts of a `Load`, listed once: profile.ww, sums, bindings, documents and tables follow from this list.
#pragma once

#include "trace/records/fields.hpp"
#include "trace/records/profile.hpp"

namespace waywiser::trace {

struct LoadField : Field {
    std::uint64_t Load::* value;
};

inline constexpr std::array kLoadFields{
    LoadField{{"calls", Unit::count, Merging::sum, Known::always, Since::v0_1, "calls"}, &Load::calls},
    LoadField{{"ns", Unit::nanoseconds, Merging::sum, Known::always, Since::v0_1, "time in them"}, &Load::ns},
    LoadField{{"max_ns", Unit::nanoseconds, Merging::most, Known::always, Since::v0_1, "time of the longest call"},
              &Load::max_ns},
    LoadField{{"sync_ns", Unit::nanoseconds, Merging::sum, Known::always, Since::v0_1,
               "time in the barriers of `--split-sync` before them"},
              &Load::sync_ns},
    LoadField{{"bytes", Unit::bytes, Merging::sum, Known::always, Since::v0_1, "outgoing payload"}, &Load::bytes},
    LoadField{{"receive_bytes", Unit::bytes, Merging::sum, Known::always, Since::v0_1,
               "payload that receives were posted for"},
              &Load::receive_bytes},
};
static_assert(sizeof(Load) == kLoadFields.size() * sizeof(std::uint64_t));  // Each member needs its line.

}  // namespace waywiser::trace
